"""Real photographs: find faces, crop and paste back, move a face by the mesh of its landmarks.

picture, notes = read_picture(name, data)            # core.face.photo.photo: upright (H, W, 3) uint8
face = only_face(picture)                            # or faces(picture), or face_in_box(picture, box)
picture, face = enlarged(picture, face)              # a very small face; `reduced` for a quick preview
motion = MeshMotion(picture, face)                   # core.face.photo.motion
code = motion.codes()                                # its own; rendering it is the photograph, bit by bit
code[rows("mouth")][0] += 2 * scales()[0]            # core.face.photo.codes
out = motion.render(code)
track = follow(frames)                               # core.face.photo.driving: a clip's codes
out = [motion.render(c) for c in driven(motion.codes(), smoothed(track.codes, 1.0), gains={"pose": 0.5})]

square = aligned(face.points, EDTALK)                # core.face.photo.crop: for a network that wants a crop
before = cut(picture, square, 256)
out = pasted(picture, square, before, network(before))
"""
