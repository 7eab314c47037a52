// Drawing functions of the demos. Positions are in pixels with fractions; colours are BGR.
#pragma once

#include <opencv2/core.hpp>

#include <span>
#include <string>

namespace triptych::apps {

namespace colours {
inline const cv::Scalar background(34, 28, 24);
inline const cv::Scalar raised(52, 44, 38);
inline const cv::Scalar ink(238, 234, 230);
inline const cv::Scalar faint(160, 150, 142);
inline const cv::Scalar accent(64, 200, 255);  // amber
inline const cv::Scalar cool(230, 190, 70);    // sky blue
inline const cv::Scalar good(120, 205, 110);
inline const cv::Scalar bad(90, 90, 245);
}  // namespace colours

// place: the left end of the baseline. height: of a capital.
void draw_text(cv::Mat& picture, const std::string& text, cv::Point2d place, double height,
               const cv::Scalar& colour);
double text_width(const std::string& text, double height);

void draw_line(cv::Mat& picture, cv::Point2d a, cv::Point2d b, const cv::Scalar& colour, int thickness = 1);
// A cross with a dark outline, visible on any background.
void draw_cross(cv::Mat& picture, cv::Point2d middle, double arm, const cv::Scalar& colour, int thickness);
void draw_ellipse(cv::Mat& picture, cv::Point2d middle, cv::Size2d semi_axes, double angle_rad,
                  const cv::Scalar& colour, int thickness);
// The corners of a rectangle.
void draw_corners(cv::Mat& picture, const cv::Rect2d& box, double arm, const cv::Scalar& colour,
                  int thickness);
// A polyline that fades towards its beginning.
void draw_trail(cv::Mat& picture, std::span<const cv::Point2d> points, const cv::Scalar& colour,
                int thickness);
void draw_box(cv::Mat& picture, const cv::Rect& box, const cv::Scalar& colour);
// A curve of values over time that fills the box; values that are not finite leave gaps.
void draw_curve(cv::Mat& picture, const cv::Rect& box, std::span<const double> values,
                const cv::Scalar& colour);

// Maps 0 .. 255 to the colours of the inferno map, whose brightness is linear.
cv::Mat heat_colours(const cv::Mat& grey);
// The scale of heat_colours() with the labels 0 and 1 at its ends.
void draw_heat_scale(cv::Mat& picture, const cv::Rect& box, double text_height);

}  // namespace triptych::apps
