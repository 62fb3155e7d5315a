"""The pages, in the order of the menu.

One folder a page: Streamlit discovers files directly inside `pages/` by itself and would run them without the frame,
but leaves sub-folders alone.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Entry:
    """A page as the menu and the start page name it.

    Attributes:
        name: of its folder and in its address; the start page has no address of its own.
        title, icon: in the menu.
        sentence: what a person does there.
        needs: what it takes of one's own, and how long it takes.
    """

    name: str
    title: str
    icon: str
    sentence: str = ""
    needs: str = ""

    @property
    def script(self) -> str:
        """The file that Streamlit runs."""
        return f"pages/{self.name}/page.py"


HOME = Entry("home", "Home", ":material/home:")
PAGES = [
    Entry(
        "directions",
        "Basis directions",
        ":material/line_axis:",
        "Learn a basis of images, curves, tables, sounds or activations, look at its directions, move a sample.",
        "A table, pictures, curves, sounds or an array. PCA in a second, learned dictionaries in a minute.",
    ),
    Entry(
        "compatible",
        "Compatible spaces",
        ":material/compare_arrows:",
        "See whether a new embedding model can be searched with an old index, and what a map between the two costs.",
        "Two arrays of embeddings of the same items. Maps in a second.",
    ),
    Entry(
        "graphs",
        "Graph spectra",
        ":material/hub:",
        "Draw a filter of a graph and see which polynomial basis follows it with the fewest terms.",
        "A list of edges, or GML and GraphML, with values at the nodes if there are any. Seconds.",
    ),
    Entry(
        "transforms",
        "Learned transforms",
        ":material/graphic_eq:",
        "Turn wavelets, filter banks and bases of functions by hand, or have them learned from your own signals.",
        "A sound, a curve or many. By hand at once, learned in a minute.",
    ),
    Entry(
        "steering",
        "Steer generations",
        ":material/edit_note:",
        "Move a language model along directions of its own activations while it writes, and see what that costs.",
        "A prompt; sixty texts for directions of your own. A sentence in seconds, a basis in a minute or two.",
    ),
    Entry(
        "face",
        "Facial motion",
        ":material/face:",
        "Move mouth, pose and expression of a photographed face along orthogonal directions, or take another face's.",
        "A photograph of a face. At once.",
    ),
    Entry(
        "transport",
        "Frequency transport",
        ":material/waves:",
        "Write a picture as sinusoids whose amplitudes change over space, look at that field, edit through it.",
        "A picture. A second for the exact fit.",
    ),
    Entry(
        "library",
        "Library",
        ":material/inventory_2:",
        "Pretrained, saved and running models: open, compare, rename, take away, bring.",
        "Nothing.",
    ),
]
