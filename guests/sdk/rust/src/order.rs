use std::cmp::Ordering;

/// The order of the numbers from 0 to n by what they stand for; equal ones keep their places. All sorting
/// is done here, because each kind of sorted element would add the library's code for it to every guest.
pub(crate) fn order(n: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut sorted: Vec<usize> = (0..n).collect();
    sorted.sort_by(|a, b| compare(*a, *b));
    sorted
}
