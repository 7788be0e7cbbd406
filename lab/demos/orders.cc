/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A C++ program with known work, for a guest without libraries: it makes orders,
 * sorts them and sums them up by customer, for ever.  Most of its time belongs
 * to templates.
 */
#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace shop {

struct order {
    std::string customer;
    uint32_t price;
};

class book {
public:
    explicit book(uint32_t seed) : numbers(seed) {}

    void take_orders(size_t count)
    {
        orders.clear();
        for ( size_t i = 0; i < count; i++ )
            orders.push_back({"customer " + std::to_string(numbers() % 64),
                              uint32_t(numbers() % 10000)});
    }

    void sort_by_price()
    {
        std::sort(orders.begin(), orders.end(),
                  [](const order &a, const order &b) {
                      return a.price < b.price;
                  });
    }

    uint64_t best_customer() const
    {
        std::map<std::string, uint64_t> sums;
        uint64_t best = 0;

        for ( const order &one : orders )
            best = std::max(best, sums[one.customer] += one.price);
        return best;
    }

private:
    std::mt19937 numbers;
    std::vector<order> orders;
};

} // namespace shop

static volatile uint64_t kept;

int main()
{
    shop::book book(1);

    for ( ;; )
    {
        book.take_orders(2000);
        book.sort_by_price();
        kept = book.best_customer();
    }
}
