"""Numbers for the browser, served as files beside the page and not sent along with it."""

from streamlit import runtime


def publish(data: bytes, place: str) -> str:
    """The address of a file with that content, for as long as this session shows it.

    It must be called at every rerun that shows the file, as `st.image` does. The same content has the same address,
    so a browser that has it does not fetch it again.

    Args:
        data: the content.
        place: names where in the page it is used; new content at a place replaces the old.
    """
    if not runtime.exists():
        return ""
    return runtime.get_instance().media_file_mgr.add(data, "application/octet-stream", place)


def published(blob: bytes, place: str) -> dict[str, str]:
    """Address and digest of a file that `core.ui.components.payload.pack` made."""
    return {"url": publish(blob, place), "digest": blob[15:79].decode()}
