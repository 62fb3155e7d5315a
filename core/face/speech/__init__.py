"""Speech: sound or typed text to the mouth's controls, controls to mouth codes, and an idle pose to go with it."""
