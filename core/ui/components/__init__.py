"""Components that draw in the browser: the mixer and the gallery of directions."""

from core.ui.components.form import Form
from core.ui.components.gallery import gallery
from core.ui.components.mixer import mixer
from core.ui.components.payload import Payload
from core.ui.components.state import MixerState, apply

__all__ = ["Form", "MixerState", "Payload", "apply", "gallery", "mixer"]
