"""The subsystems of each module, bottom to top: what each folder of src/ owns and may include.

A folder may include itself and the folders named here, nothing else. Public headers belong to folders, too: including
triptych/<module>/<header>.hpp is including the folder that owns it. check_includes.py reads this table.
"""

# module -> folder -> (folders it may include, public headers it owns)
LAYERS = {
    "capsule_likelihood": {
        "geometry": ("", "geometry cloud_view rigid_transform"),
        "body": ("geometry", "skeleton motion kinematics"),
        "body/io": ("body geometry", "bvh bvh_skeleton pose_file skeleton_file"),
        "cloud": ("geometry", "cloud image_file cameras_file"),
        "rays": ("geometry", "rays"),
        # below likelihood, whose evaluate_cuda calls the paper's tiles as one of its methods
        "paper": ("rays geometry", "paper_loop"),
        "likelihood": ("paper rays geometry", "likelihood tune cuda_group"),
        "resample": ("", "resample"),
        "filter/samples": ("resample geometry", ""),
        "filter/evidence": ("body rays geometry", "estimate"),
        "filter/pose": ("filter/evidence filter/samples body geometry", ""),
        "filter/fit": ("filter/pose filter/evidence filter/samples body rays geometry", ""),
        "filter/search": ("filter/fit filter/pose filter/evidence body likelihood rays geometry", ""),
        "filter": ("filter/search filter/fit filter/pose filter/evidence filter/samples body likelihood rays resample geometry", "particle_filter"),
        "synthetic": ("body geometry", "render synthetic_walk"),
        "person": ("body cloud synthetic geometry", "fit_human scene"),
    },
    "skin_tracker": {
        "colour": ("", "filter classifier weight_table"),
        "frame": ("colour", "frame head"),
        "calibration": ("frame colour", "calibrate"),
        "moments": ("frame colour", "moments"),
        "moments/cuda": ("moments frame colour", ""),
        "gate": ("moments moments/cuda frame colour", ""),
        "engine": ("moments moments/cuda frame colour", ""),
        "engine/joint": ("engine moments moments/cuda frame colour", "load_balancer"),
        "tracker": ("engine gate calibration frame colour", "tracker one_euro perspective"),
        "paper": ("engine/joint moments frame colour", "variants"),
        "synthetic": ("calibration frame", "synthetic"),
    },
    "aam_fit": {
        "shape": ("", "shape triangulation reference_frame"),
        "features": ("", "features planes"),
        "model": ("shape features", "model model_file"),
        "warp": ("shape features", ""),
        "crop": ("model features shape", "prepare"),
        "fit": ("model features shape", "fit"),
        "fit/cpu": ("fit model features", ""),
        "fit/cuda": ("fit warp model features shape", "fit_cuda"),
        "fit/compositional": ("fit fit/cpu warp model features", "inverse_compositional"),
        "fit/refine": ("fit fit/cuda warp model features shape", ""),
        "fitter": ("fit fit/cuda fit/compositional fit/refine warp crop model features shape", "fitter box_offset face_tracker find_faces"),
        "pose": ("fitter fit model features shape", "head_pose"),
        "data": ("shape features", "landmark_file example"),
        "train": ("data crop fit fitter warp model shape features synthetic", "train appearance"),
        "synthetic": ("data shape features", "synthetic_face"),
        "shipped": ("synthetic train data model", "default_model"),
    },
}

# The modules, bottom to top: each may include only those before it, and the three workloads never each other.
MODULES = {
    "core": "",
    "reduction": "core",
    "capsule_likelihood": "core reduction",
    "skin_tracker": "core reduction",
    "aam_fit": "core reduction",
}
