//! Vectors of texts: brought to length 1, so that their dot product is their cosine.

use std::sync::Arc;

/// A vector at length 1; one of nothing but zeros stays so.
#[must_use]
pub fn normalised(mut vector: Vec<f32>) -> Arc<[f32]> {
    let length = vector.iter().map(|part| f64::from(*part).powi(2)).sum::<f64>().sqrt();
    if length > 0.0 && length.is_finite() {
        for part in &mut vector {
            #[allow(clippy::cast_possible_truncation)]
            {
                *part = (f64::from(*part) / length) as f32;
            }
        }
    } else {
        vector.fill(0.0);
    }
    vector.into()
}

/// The dot product of two vectors of length 1: their cosine.
#[must_use]
pub fn dot(one: &[f32], other: &[f32]) -> f32 {
    // Sixteen sums, so that the processor may add them at once; always in the same order.
    let mut sums = [0f32; 16];
    let (ones, rest) = one.as_chunks::<16>();
    let (others, other_rest) = other.as_chunks::<16>();
    for (one, other) in ones.iter().zip(others) {
        for (sum, (one, other)) in sums.iter_mut().zip(one.iter().zip(other)) {
            *sum += one * other;
        }
    }
    let tail: f32 = rest.iter().zip(other_rest).map(|(one, other)| one * other).sum();
    sums.iter().sum::<f32>() + tail
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_come_to_length_one_and_those_without_a_length_to_zero() {
        assert_eq!(*normalised(vec![3.0, 4.0]), [0.6, 0.8]);
        assert_eq!(*normalised(vec![0.0, f32::NAN]), [0.0, 0.0]);
    }

    #[test]
    fn the_product_takes_every_part_once() {
        let ones = vec![1.0; 37];
        assert_eq!(dot(&ones, &ones), 37.0);
    }
}
