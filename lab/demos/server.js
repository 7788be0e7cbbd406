// SPDX-License-Identifier: GPL-2.0-or-later
// A server with known work: each answer filters, sorts and writes a list.
'use strict';

const http = require('http');

const goods = Array.from({ length: 1000 }, (_, i) =>
    ({ id: i, name: `thing ${i}`, price: (i * 7919) % 1009 }));

function cheapest(limit) {
    return goods.filter(one => one.price < limit)
        .sort((a, b) => a.price - b.price || a.id - b.id);
}

function priceList(limit) {
    return JSON.stringify({ limit, goods: cheapest(limit) });
}

http.createServer((request, response) => {
    response.end(priceList(500));
}).listen(8080, '127.0.0.1');
