//! Shuffle sharding: hands, their bounds, and how often elephants squish a mouse.

use k8s_flowcontrol_rules::sharding::{Dealer, entropy_bits};

#[test]
fn known_hands_are_dealt() {
    for (queues, hand_size, flow, hand) in [
        (128, 6, 13424615363282033023, vec![127, 66, 18, 15, 64, 74]),
        (128, 6, 7733929212674924205, vec![45, 47, 41, 49, 38, 80]),
        (
            64,
            8,
            13424615363282033023,
            vec![63, 43, 6, 59, 8, 11, 2, 34],
        ),
    ] {
        assert_eq!(Dealer::new(queues, hand_size).unwrap().deal(flow), hand);
    }
}

#[test]
fn hash_bits_are_rounded_up() {
    for (queues, hand_size, bits) in [
        (0, 1, 0),
        (1, 1, 0),
        (64, 8, 48),
        (512, 8, 72),
        (128, 10, 70),
        (10_000_000, 2, 47),
        (2_147_483_647, 3, 93),
        (u32::MAX, u32::MAX, u32::MAX),
    ] {
        assert_eq!(entropy_bits(queues, hand_size), bits);
    }
}

#[test]
fn the_bounds_of_hands_are_those_of_a_server() {
    for (queues, hand_size) in [(16, 15), (15, 15), (128, 8), (10_000_000, 2)] {
        assert!(Dealer::new(queues, hand_size).is_ok());
    }
    for (queues, hand_size, problem) in [
        (16, 16, "a hand needs more than 60 bits of hash"),
        (128, 9, "a hand needs more than 60 bits of hash"),
        (i32::MAX, 1, "more than 67108864 queues"),
        (4, 5, "the hand is larger than the number of queues"),
        (0, 1, "both numbers must be positive"),
        (1, -1, "both numbers must be positive"),
    ] {
        let error = Dealer::new(queues, hand_size).unwrap_err().to_string();
        assert!(error.ends_with(problem), "{error}");
    }
}

/// The table of the Kubernetes documentation, worked examples for shuffle sharding: `handSize`, `queues`, and the
/// probabilities with 1, 4 and 16 elephants.
const DOCUMENTED: &str = "\
12 32 4.428838398950118e-09 0.11431348830099144 0.9935089607656024
10 32 1.550093439632541e-08 0.0626479840223545 0.9753101519027554
10 64 6.601827268370426e-12 0.00045571320990370776 0.49999929150089345
9 64 3.6310049976037345e-11 0.00045501212304112273 0.4282314876454858
8 64 2.25929199850899e-10 0.0004886697053040446 0.35935114681123076
8 128 6.994461389026097e-13 3.4055790161620863e-06 0.02746173137155063
7 128 1.0579122850901972e-11 6.960839379258192e-06 0.02406157386340147
7 256 7.597695465552631e-14 6.728547142019406e-08 0.0006709661542533682
6 256 2.7134626662687968e-12 2.9516464018476436e-07 0.0008895654642000348
6 512 4.116062922897309e-14 4.982983350480894e-09 2.26025764343413e-05
6 1024 6.337324016514285e-16 8.09060164312957e-11 4.517408062903668e-07";

#[test]
fn the_documented_probabilities_come_out() {
    for line in DOCUMENTED.lines() {
        let row: Vec<f64> = line.split(' ').map(|cell| cell.parse().unwrap()).collect();
        let dealer = Dealer::new(row[1] as i32, row[0] as i32).unwrap();
        for (elephants, expected) in [1, 4, 16].into_iter().zip(&row[2..]) {
            let ours = dealer.squish_probability(elephants);
            let error = (ours / expected - 1.0).abs();
            assert!(error < 1e-11, "{elephants} in {line}: {ours} {error:e}");
        }
    }
}

#[test]
fn a_hand_of_all_queues_is_always_squished() {
    let dealer = Dealer::new(15, 15).unwrap();
    assert_eq!(dealer.hands(), 1);
    assert!((dealer.squish_probability(3) - 1.0).abs() < 1e-12);
}
