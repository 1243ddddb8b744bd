//! Fits our counts to what the API reported: reported = offset + factor × counted.

use crate::model::Calibration;

/// Fewer steps say nothing.
const FEWEST: usize = 6;
/// The counts must differ by as much: the largest is at least so many times the smallest.
const SPREAD: f64 = 1.3;
/// Tokenizers do not differ by more than this.
const FACTORS: std::ops::RangeInclusive<f64> = 0.8..=2.0;
/// Mean relative error above which a fit is no fit.
const ERROR_MOST: f64 = 0.05;
/// Steps further from the line than so many times the median distance are left out.
const OUTLIER: f64 = 4.0;
/// Pairs of steps whose slopes are looked at for the first line.
const PAIRS_MOST: usize = 20_000;

/// Fits pairs of counted and reported tokens. First a line that outliers cannot move (the median of slopes, after
/// Theil and Sen), then least squares over what lies near it, with an offset that is not negative. `None` where there
/// are too few steps, where they do not differ, and where the fit is not plausible.
#[must_use]
pub fn fit(pairs: &[(u64, u64)]) -> Option<Calibration> {
    #[allow(clippy::cast_precision_loss)]
    let points: Vec<(f64, f64)> = pairs
        .iter()
        .filter(|(counted, reported)| *counted > 0 && *reported > 0)
        .map(|(counted, reported)| (*counted as f64, *reported as f64))
        .collect();
    let least = points.iter().map(|(counted, _)| *counted).fold(f64::INFINITY, f64::min);
    let most = points.iter().map(|(counted, _)| *counted).fold(0.0, f64::max);
    if points.len() < FEWEST || most < least * SPREAD {
        return None;
    }
    let factor = median(slopes(&points))?;
    let offset = median(points.iter().map(|(counted, reported)| reported - factor * counted).collect())?;
    let distance = |(counted, reported): &(f64, f64)| (reported - offset - factor * counted).abs();
    let near = median(points.iter().map(distance).collect())? * OUTLIER + 1.0;
    let kept: Vec<(f64, f64)> = points.into_iter().filter(|point| distance(point) <= near).collect();
    let (offset, factor) = least_squares(&kept)?;
    #[allow(clippy::cast_precision_loss)]
    let error =
        kept.iter().map(|(counted, reported)| (offset + factor * counted - reported).abs() / reported).sum::<f64>()
            / kept.len().max(1) as f64;
    let steps = u32::try_from(kept.len()).unwrap_or(u32::MAX);
    let good = kept.len() >= FEWEST && FACTORS.contains(&factor) && error <= ERROR_MOST;
    good.then_some(Calibration { factor, offset, error, steps })
}

/// Tokens times a factor, rounded. A factor of 1 leaves a count as exact as it is.
#[must_use]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
pub fn scaled(tokens: u64, factor: f64) -> u64 {
    if factor == 1.0 { tokens } else { (tokens as f64 * factor).round() as u64 }
}

/// Slopes between points far apart; of very many points, only so many.
fn slopes(points: &[(f64, f64)]) -> Vec<f64> {
    let mut sorted = points.to_vec();
    sorted.sort_by(|one, other| one.partial_cmp(other).unwrap_or(std::cmp::Ordering::Equal));
    let count = sorted.len();
    let strides = (PAIRS_MOST / count).clamp(1, count.div_ceil(2));
    let mut found = Vec::new();
    for stride in 0..strides {
        let apart = count / 2 + stride;
        for (near, far) in sorted.iter().zip(sorted.iter().skip(apart.max(1))) {
            if far.0 - near.0 >= 1.0 {
                found.push((far.1 - near.1) / (far.0 - near.0));
            }
        }
    }
    found
}

fn median(mut numbers: Vec<f64>) -> Option<f64> {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied()
}

/// Offset and factor of the line nearest to the points, the offset not below zero.
fn least_squares(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    #[allow(clippy::cast_precision_loss)]
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (middle_x, middle_y) = (mean(|point| point.0), mean(|point| point.1));
    let across: f64 = points.iter().map(|(x, y)| (x - middle_x) * (y - middle_y)).sum();
    let along: f64 = points.iter().map(|(x, _)| (x - middle_x).powi(2)).sum();
    let factor = across / along;
    let offset = middle_y - factor * middle_x;
    let (offset, factor) = if offset < 0.0 {
        let through: f64 = points.iter().map(|(x, y)| x * y).sum();
        (0.0, through / points.iter().map(|(x, _)| x * x).sum::<f64>())
    } else {
        (offset, factor)
    };
    (offset.is_finite() && factor.is_finite()).then_some((offset, factor))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn line(factor: f64, offset: f64, count: u64) -> Vec<(u64, u64)> {
        #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        (1..=count).map(|step| (step * 1000, (step as f64 * 1000.0 * factor + offset) as u64)).collect()
    }

    #[test]
    fn a_line_is_found_in_spite_of_outliers() {
        let mut pairs = line(1.2, 18_000.0, 60);
        for (index, pair) in pairs.iter_mut().enumerate() {
            pair.1 += (index as u64 * 7919) % 300;
            if index % 7 == 0 {
                pair.1 += 90_000;
            }
        }
        let found = fit(&pairs).unwrap();
        assert!((found.factor - 1.2).abs() < 0.01, "{found:?}");
        assert!((found.offset - 18_000.0).abs() < 600.0, "{found:?}");
        assert!(found.error < 0.01 && found.steps >= 50, "{found:?}");
    }

    #[test]
    fn what_is_no_line_is_refused() {
        assert!(fit(&[]).is_none());
        assert!(fit(&line(1.0, 0.0, 5)).is_none());
        assert!(fit(&line(0.5, 0.0, 50)).is_none());
        assert!(fit(&line(3.0, 0.0, 50)).is_none());
        assert!(fit(&[(1000, 20_000); 40]).is_none());
        assert!(fit(&[(0, 5); 40]).is_none());
        let noise: Vec<(u64, u64)> = (1..60).map(|step| (step * 1000, (step * 48_271) % 100_000 + 1)).collect();
        assert!(fit(&noise).is_none());
    }

    #[test]
    fn an_offset_is_never_negative() {
        let found = fit(&line(1.3, -800.0, 80)).unwrap();
        assert!(found.offset == 0.0 && (1.2..1.3).contains(&found.factor), "{found:?}");
    }

    proptest! {
        #[test]
        fn any_figures_give_a_plausible_fit_or_none(pairs in prop::collection::vec((any::<u64>(), any::<u64>()), 0..40)) {
            if let Some(found) = fit(&pairs) {
                prop_assert!((0.8..=2.0).contains(&found.factor) && found.offset >= 0.0 && found.error <= 0.05);
            }
        }

        #[test]
        fn any_plausible_line_is_found(factor in 0.85f64..1.9, offset in 0f64..60_000.0, count in 8u64..400) {
            let found = fit(&line(factor, offset, count)).unwrap();
            prop_assert!((found.factor - factor).abs() < 0.01);
        }
    }
}
