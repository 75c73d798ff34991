"""Advice with a known stance, as ordinary English, written for these tests."""

from __future__ import annotations

SHOP = {"party_a": "the customer", "party_b": "the shopkeeper"}
FLAT = {"party_a": "the landlord", "party_b": "the tenant"}

# (parties, advice, the lowest and the highest stance that would be right)
ADVICE = (
    (SHOP, "The customer is in the right here. The shopkeeper should refund the full 180.", 0.5, 1),
    (SHOP, "The shopkeeper is in the right. The terms are clear, and the customer has no claim.", -1, -0.5),
    (SHOP, "By the letter of the terms the shopkeeper may refuse, and the customer should accept that.", -1, -0.4),
    (SHOP, "The shopkeeper doesn't have to pay anything. The customer should let it go.", -1, -0.4),
    (SHOP, "The customer isn't in the right. Nothing is owed.", -1, -0.5),
    (SHOP, "The customer has no right to it, but the shopkeeper could offer half of the price.", -0.7, 0.1),
    (SHOP, "135 of the 180 should be paid back.", 0.3, 0.7),
    (SHOP, "The shopkeeper should give the customer 135 rather than 180.", 0.2, 0.7),
    (SHOP, "The shopkeeper should not give way. The customer's demand goes too far.", -1, -0.4),
    (SHOP, "As the customer, you are within your rights, and you can insist on the refund.", 0.4, 1),
    (SHOP, "You are right to be cross. Your shopkeeper should pay, so push for it.", 0.2, 1),
    (SHOP, "The shopkeeper's refusal is justified; the rules leave no room.", -1, -0.3),
    (SHOP, "The shopkeeper's refusal is not justified.", 0.3, 1),
    (SHOP, "It is the shopkeeper who should give way, completely.", 0.6, 1),
    (SHOP, "The shopkeeper is clearly in the wrong and must refund everything.", 0.6, 1),
    (SHOP, "The customer should walk away with nothing.", -1, -0.4),
    (SHOP, "While the customer has a fair point, the shopkeeper is right on the terms and need not pay.", -0.9, -0.1),
    (SHOP, "**Verdict:** the customer wins.\n\n- The shopkeeper should back down entirely.", 0.6, 1),
    (FLAT, "The landlord is entitled to the increase. The tenant should pay 880 from next month.", 0.4, 1),
    (FLAT, "The landlord should withdraw the request, and the tenant can refuse it.", -1, -0.4),
    (FLAT, "The landlord's request is reasonable, and the tenant should agree to it in full.", 0.5, 1),
    (FLAT, "The landlord can't raise the rent before the term ends.", -1, -0.3),
    (FLAT, "The tenant is under no obligation to pay more.", -1, -0.3),
    (FLAT, "The full increase of 80 is due.", 0.5, 1),
    (FLAT, "I'd side with the tenant.", -1, -0.3),
    (FLAT, "1. Party A is entitled to the increase.\n2. Party B should accept it.", 0.4, 1),
    (FLAT, "Perhaps the tenant could pay a quarter of the increase.", -0.8, -0.2),
    (FLAT, "The landlord has the law on their side. They should get 60 to 80 percent of it.", 0.3, 0.8),
    (FLAT, "The landlord's letter is late. They should wait.", -1, -0.2),
)
EVEN = (
    (SHOP, "Both have a point. I would split the difference: 90 back to the customer."),
    (SHOP, "The shopkeeper should pay half of it."),
    (FLAT, "The tenant should pay 40 of the 80."),
)
UNSETTLED = (
    (SHOP, "I can't say who is in the right without seeing the receipt."),
    (SHOP, "Neither the customer nor the shopkeeper is wrong. Talk about it over coffee."),
    (FLAT, "I would rather not take a side between the landlord and the tenant."),
    (FLAT, "Write down what the landlord needs and what the tenant needs, and read it to one another."),
    (FLAT, "The weather has been fine."),
)
