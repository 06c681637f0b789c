//! The sort that is compiled once.

use k8s_flowcontrol_types::order;

#[test]
fn every_order_of_some_items_is_sorted() {
    for mut number in 0..7_usize.pow(5) {
        let items: Vec<(usize, usize)> = (0..5)
            .map(|index| {
                let item = number % 7;
                number /= 7;
                (item, index)
            })
            .collect();
        let (mut ours, mut theirs) = (items.clone(), items);
        order::sort_by(&mut ours, |left, right| left.0.cmp(&right.0));
        theirs.sort_by_key(|item| item.0);
        assert_eq!(ours, theirs);
    }
}
