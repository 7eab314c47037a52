// A small BVH file for tests: channels in several orders, a branch, CRLF, tabs and a brace behind a name.
#pragma once

namespace triptych::capsule_likelihood::test {

inline constexpr const char* small_bvh =
    "HIERARCHY\n"
    "ROOT Hips\n"
    "{\n"
    "\tOFFSET 0 0 0\n"
    "\tCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
    "\tJOINT Chest {\r\n"
    "\t\tOFFSET 0 10 1\r\n"
    "\t\tCHANNELS 3 Zrotation Xrotation Yrotation\r\n"
    "\t\tJOINT Left Arm\n"
    "\t\t{\n"
    "\t\t\tOFFSET 5 2 +0.5e0\n"
    "\t\t\tCHANNELS 6 Xposition Yposition Zposition Yrotation Zrotation Xrotation\n"
    "\t\t\tEnd Site\n"
    "\t\t\t{\n"
    "\t\t\t\tOFFSET 6 0 0\n"
    "\t\t\t}\n"
    "\t\t}\n"
    "\t\tEnd Site { OFFSET 0 4 0 }\n"
    "\t}\n"
    "\tJOINT Leg\n"
    "\t{\n"
    "\t\tOFFSET 0 -9 0\n"
    "\t\tCHANNELS 1 Xrotation\n"
    "\t\tEnd Site { OFFSET 0 -8 0 }\n"
    "\t}\n"
    "}\n"
    "MOTION\n"
    "Frames: 2\n"
    "Frame Time: .0083333\n"
    "1 2 3 10 20 30 40 50 60 5 2 .5 70 80 -90 15\n"
    "\n"
    "1.5 2 3 -10 20 30 40 -50 60 5 2 .5 70 8e1 -90 -170\r\n";

}  // namespace triptych::capsule_likelihood::test
