"""The page *Library*: pretrained, saved and running models."""
