"""Images against Pillow's and hand-computed pixels."""

import io

import hostile
import numpy as np
import pytest
from PIL import Image

from core.datasets import InputError, LoadOptions, load, sample
from core.datasets.pixels import pixels, resized

RNG = np.random.default_rng(3)


def saved(array, kind, mode=None, **more):
    out = io.BytesIO()
    image = Image.fromarray(array) if mode is None else Image.fromarray(array, mode)
    image.save(out, kind, **more)
    return out.getvalue()


def grey(h=20, w=16, seed=0):
    return np.random.default_rng(seed).integers(0, 256, (h, w), dtype=np.uint8)


@pytest.mark.parametrize("kind", ["PNG", "TIFF", "BMP", "GIF", "WEBP"])
def test_lossless_kinds_come_back_exactly(kind):
    more = {"lossless": True} if kind == "WEBP" else {}
    arrays = [grey(seed=i) for i in range(3)]
    made = load([(f"{i}.{kind.lower()}", saved(a, kind, **more)) for i, a in enumerate(arrays)])
    assert made.kind == "images"
    assert np.allclose(made.samples, np.stack(arrays) / 255, atol=1e-6)


def test_colour_stays_colour():
    arrays = [RNG.integers(0, 256, (9, 11, 3), dtype=np.uint8) for _ in range(2)]
    files = [(f"{i}.png", saved(a, "PNG")) for i, a in enumerate(arrays)]
    assert np.allclose(load(files).samples, np.stack(arrays) / 255)
    luma = np.stack(arrays) @ np.array([0.299, 0.587, 0.114]) / 255
    assert np.allclose(load(files, options=LoadOptions(colour="grey")).samples, luma, atol=1e-5)


def test_sixteen_bits():
    deep = RNG.integers(0, 65536, (2, 12, 12)).astype(np.uint16)
    for kind in ("PNG", "TIFF"):
        made = load([(f"{i}.{kind}", saved(a, kind)) for i, a in enumerate(deep)])
        assert np.allclose(made.samples, deep / 65535, atol=1e-6)


def test_sixteen_bit_colour_tiff():
    import tifffile

    deep = RNG.integers(0, 65536, (2, 12, 10, 3)).astype(np.uint16)
    files = []
    for i, a in enumerate(deep):
        out = io.BytesIO()
        tifffile.imwrite(out, a, photometric="rgb")
        files.append((f"{i}.tif", out.getvalue()))
    assert np.allclose(load(files).samples, deep / 65535, atol=1e-6)


def test_camera_rotation_is_undone():
    array = grey(8, 12)
    exif = Image.Exif()
    exif[0x0112] = 6  # the camera was turned: show it a quarter turn clockwise
    data = saved(array, "PNG", exif=exif)
    assert np.allclose(pixels("a", data, grey=True), np.rot90(array, -1) / 255)
    made = load([("a.png", data), ("b.png", saved(grey(12, 8), "PNG"))])
    assert made.shape == (12, 8)


def test_transparency_is_laid_on_white():
    array = np.zeros((6, 6, 4), np.uint8)
    array[:3, :, 3] = 255
    array[0, 0] = (100, 50, 0, 128)
    got = pixels("a", saved(array, "PNG"), grey=False)
    assert np.allclose(got[4, 4], 1)
    assert np.allclose(got[1, 1], 0)
    assert np.allclose(got[0, 0], (np.array([100, 50, 0]) * 128 + 255 * 127) / 255 / 255, atol=3e-3)


def test_cmyk_and_palette_agree_with_pillow():
    image = Image.fromarray(RNG.integers(0, 256, (10, 10, 3), dtype=np.uint8))
    for mode, kind in (("CMYK", "TIFF"), ("P", "PNG")):
        out = io.BytesIO()
        image.convert(mode).save(out, kind)
        expected = np.asarray(image.convert(mode).convert("RGB")) / 255
        assert np.allclose(pixels("a", out.getvalue(), grey=False), expected, atol=1e-6)


def test_an_animation_gives_its_first_frame():
    frames = [Image.fromarray(grey(seed=i)) for i in range(3)]
    out = io.BytesIO()
    frames[0].save(out, "GIF", save_all=True, append_images=frames[1:])
    made = load([("a.gif", out.getvalue()), ("b.png", saved(grey(seed=5), "PNG"))])
    assert np.allclose(made.samples[0], grey(seed=0) / 255, atol=1e-6)
    assert any("first frame" in n for n in made.notes)


def test_different_sizes_are_cropped_and_resized():
    files = [("a.png", saved(grey(40, 30), "PNG")), ("b.png", saved(grey(25, 60), "PNG"))]
    made = load(files)
    assert made.shape == (25, 25)
    assert any("25 x 25" in n for n in made.notes)
    assert load(files, options=LoadOptions(side=12)).shape == (12, 12)


def test_resizing_averages_and_crops_in_the_middle():
    image = np.zeros((20, 40), np.float32)
    image[:, 10:30] = np.linspace(0, 1, 20)[:, None]
    small = resized(image, 5, 5)
    blocks = image[:, 10:30].reshape(5, 4, 5, 4).mean((1, 3))
    assert np.allclose(small[1:-1], blocks[1:-1], atol=0.02)


def test_one_image_becomes_patches():
    data = saved(grey(50, 60), "PNG")
    made = load([("a.png", data)], options=LoadOptions(patch=7, patches=100, seed=4))
    assert made.samples.shape == (100, 7, 7)
    again = load([("a.png", data)], options=LoadOptions(patch=7, patches=100, seed=4))
    assert made.fingerprint == again.fingerprint
    assert len(set(made.names)) == 100
    x, y = map(int, made.names[0].split(" ")[1].split(","))
    assert np.allclose(made.samples[0], grey(50, 60)[y : y + 7, x : x + 7] / 255)
    with pytest.raises(InputError, match="too small for patches"):
        load([("a.png", saved(grey(5, 5), "PNG"))], options=LoadOptions(patch=9))


def test_folders_of_a_zip_are_labels():
    entries = [(f"set/{'cat' if i % 2 else 'dog'}/{i}.png", saved(grey(seed=i), "PNG")) for i in range(6)]
    entries += [("__MACOSX/set/cat/._1.png", b"x"), ("set/.hidden.png", b"x"), ("set/readme.txt", b"hello")]
    made = load([("pets.zip", hostile.zipped(entries))])
    assert sorted(made.labels.tolist()) == ["cat"] * 3 + ["dog"] * 3
    for name, label in zip(made.names, made.labels, strict=True):
        assert label == ("cat" if int(name[0]) % 2 else "dog")
    assert any("readme.txt" in n for n in made.notes)


def test_images_of_a_zip_come_in_natural_order_whatever_their_digits():
    names = ["img10.png", "img2.png", "img1.png", "x1\u00b22.png", "n" + "7" * 5000 + ".png"]
    entries = [(n, saved(grey(seed=i), "PNG")) for i, n in enumerate(names)]
    made = load([("a.zip", hostile.zipped(entries))])
    assert made.names[:3] == ("img1.png", "img2.png", "img10.png")
    assert len(made) == 5


def test_stacks_of_images_in_arrays():
    stack = RNG.integers(0, 256, (7, 9, 8), dtype=np.uint8)
    made = load([("a.npy", hostile.npy(stack))])
    assert made.kind == "images"
    assert np.allclose(made.samples, stack / 255)
    channels_first = RNG.random((5, 3, 9, 8)).astype(np.float32)
    moved = load([("a.npy", hostile.npy(channels_first))])
    assert np.allclose(moved.samples, np.moveaxis(channels_first, 1, -1))


def test_images_too_many_for_their_size_are_made_smaller():
    files = [(f"{i}.png", saved(RNG.integers(0, 256, (600, 400), dtype=np.uint8), "PNG")) for i in range(2)]
    made = load(files)
    assert made.d <= 200_000
    assert made.shape[0] / made.shape[1] == pytest.approx(1.5, abs=0.02)


def test_photographs_and_patches_agree():
    made = sample("photo-patches", size=8, count=50, seed=1)
    from sklearn.datasets import load_sample_image

    photo = load_sample_image("china.jpg") @ np.array([0.299, 0.587, 0.114]) / 255
    row = next(i for i, n in enumerate(made.names) if n.startswith("china"))
    x, y = map(int, made.names[row].split(" ")[1].split(","))
    assert np.allclose(made.samples[row], photo[y : y + 8, x : x + 8], atol=1e-5)
