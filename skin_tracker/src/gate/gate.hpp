// Gate: follows the box around the head on maps of weights, so that hands, other faces and walls of skin
// colour do not count.
//
// The score of a box is its mean weight minus that of the ring around it, plus the response of a template of
// the head's looks. From frame to frame the best box near the predicted one is taken; when there is none, or
// it no longer looks like the head, the head is lost. Then the template looks for it where it was last, and
// the whole frame is searched: by weight on few samples first, then around the best box, where the template
// decides.
#pragma once

#include <optional>

#include "gate/head_template.hpp"
#include "gate/layout.hpp"
#include "gate/weight_map.hpp"

namespace triptych::skin_tracker {

// How much what is followed looks like a head, and like the head at the start.
struct GateMatch {
  bool started = false;  // in a box that was given; otherwise the whole frame was searched
  double oval = 0;       // correlation of the weights' layout with an oval
  double likeness = 0;   // with the weights at the start, or lately
  double sharpness = 0;  // of the response of the template of the head's looks
  double face = 0;       // without a start box: face_score(), kept when it shows a face
};

class Gate {
 public:
  Gate(int frame_width, int frame_height, const std::optional<PixelBox>& start);

  // Whether the next step is follow() on a map of what near() says. When it fails, and the head is known:
  // find_around() on one of what around() says. Then search() on a coarse one of the whole frame, and, when
  // that has a candidate, acquire() on one of what candidate() says.
  bool can_follow() const { return following_; }
  bool is_known() const { return known_; }
  CentredBox near() const;
  CentredBox looks_near() const;  // the part of a map of brightness that goes with it
  CentredBox around() const;
  CentredBox looks_around() const;
  CentredBox whole() const;
  CentredBox candidate() const;
  CentredBox looks_of_candidate() const;
  double head_px() const;  // the head's smaller extent, or what the smallest acceptable head would have

  // follow(), find_around() and acquire() return whether the head was found; head() is then where.
  bool follow(const WeightMap& map, const WeightMap& brightness);
  // Looks for a lost head around where it was last, by the template alone, whatever its weights are.
  bool find_around(const WeightMap& map, const WeightMap& brightness);
  // While a head is lost that was known, part of the frame is searched at a time where it is many times
  // larger than the head, so that every frame costs about the same.
  bool search(const WeightMap& map);
  bool acquire(const WeightMap& map, const WeightMap& brightness);
  CentredBox head() const;

  // Without a start box, whether what was found is yet to be shown to check_face(), with a map of what
  // face_part() of found() says. What does not look like a face for some frames is not followed any longer.
  bool wants_face() const;
  const CentredBox& found() const { return box_; }
  void check_face(const WeightMap& brightness);

  const GateMatch& match() const { return match_; }

 private:
  struct Candidate {
    CentredBox box;
    double inside = 0, ring = 0;  // densities
    double score = -1e9;
  };

  CentredBox expected() const;
  Candidate judge(const WeightMap& map, const CentredBox& box) const;  // contrast alone
  // And with prices for the distance from what is expected, and the response of looks_ times a gain.
  Candidate judge(const WeightMap& map, const CentredBox& box, const CentredBox& expected, double gain) const;
  // The best of a box and its 26 neighbours in place (step, in heads) and size (growth, a factor).
  Candidate refine(const WeightMap& map, Candidate best, const CentredBox& expected, double step,
                   double growth, double gain) const;
  bool begin(const WeightMap& map, const WeightMap& brightness);
  void take_found(const WeightMap& map, const Candidate& c, const WeightMap& brightness);
  // The best box of a height and width, of whole samples; a part of the rows, of which there are `parts`.
  Candidate scan(const WeightMap& map, double height, double width, int part, int parts) const;
  bool convincing(const Candidate& c, double min_share) const;
  void learn(const Candidate& c, double rate);
  void take(const WeightMap& map, const Candidate& c);  // as what is followed
  // Compares what is followed with the head by looks and weights, and lets the template follow. False: it is
  // not like the head in either.
  bool recognise(const WeightMap& brightness);
  // What suddenly looks much less like the head than usual may be something else: it shows its face again.
  void doubt_face();
  // Compares the peak of the response with that of a smaller or a larger box, in turn from frame to frame.
  void measure_size(const WeightMap& brightness, double peak);

  double frame_width_, frame_height_;
  CentredBox box_;                                   // what is followed
  CentredBox skin_;                                  // the box near it that stands out most
  CentredBox candidate_;                             // what search() has found
  double head_x_ = 0, head_y_ = 0, head_scale_ = 1;  // the head in it, in units of its size
  double size_ = 0;                                  // the height it had lately, in pixels
  double first_size_ = 0, first_inside_ = 0;
  double speed_x_ = 0, speed_y_ = 0;  // pixels per frame
  double inside_ = 0, ring_ = 0;      // usual densities of the head and its surroundings
  bool following_ = false;
  bool known_ = false;  // inside_, ring_ and the box's size mean something
  int lost_frames_ = 0;
  bool face_seen_ = false;      // in what is followed
  double usual_sharpness_ = 0;  // of the template's response, since the face was seen
  int frames_without_face_ = 0;
  Layout weights_;                       // in the present box
  Layout first_weights_, late_weights_;  // at the start, and lately
  HeadTemplate looks_;
  HeadTemplate::Response response_;            // around the predicted box
  double smaller_peak_ = 0, larger_peak_ = 0;  // over that of the box; 0: not measured yet
  bool measured_larger_ = false;               // whether the last one was that of the larger box
  GateMatch match_;
};

}  // namespace triptych::skin_tracker
