"""Black-Scholes prices of a grid of options, and the volatility implied by a price (Newton with bisection)."""

import math

import numpy as np
from naja import njit

TITLE = "Implied volatility"


@njit
def normal_cdf(x):
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


@njit
def call_price(spot, strike, years, rate, volatility):
    root = volatility * math.sqrt(years)
    d1 = (math.log(spot / strike) + (rate + 0.5 * volatility**2) * years) / root
    return spot * normal_cdf(d1) - strike * math.exp(-rate * years) * normal_cdf(d1 - root)


@njit
def vega(spot, strike, years, rate, volatility):
    d1 = (math.log(spot / strike) + (rate + 0.5 * volatility**2) * years) / (volatility * math.sqrt(years))
    return spot * math.exp(-0.5 * d1 * d1) / math.sqrt(2.0 * math.pi) * math.sqrt(years)


@njit
def implied_volatility(price, spot, strike, years, rate):
    low, high = 1e-4, 4.0
    sigma = 0.3
    for _ in range(60):
        difference = call_price(spot, strike, years, rate, sigma) - price
        if abs(difference) < 1e-12 * spot:
            break
        if difference > 0.0:
            high = sigma
        else:
            low = sigma
        slope = vega(spot, strike, years, rate, sigma)
        step = sigma - difference / slope if slope > 1e-10 else low
        sigma = step if low < step < high else 0.5 * (low + high)
    return sigma


@njit
def surface(strikes, years, smile, spot=100.0, rate=0.02):
    prices = np.empty((years.shape[0], strikes.shape[0]))
    recovered = np.empty_like(prices)
    for i in range(years.shape[0]):
        for j in range(strikes.shape[0]):
            true_sigma = 0.18 + smile * (math.log(strikes[j] / spot)) ** 2 / math.sqrt(years[i])
            prices[i, j] = call_price(spot, strikes[j], years[i], rate, true_sigma)
            recovered[i, j] = implied_volatility(prices[i, j], spot, strikes[j], years[i], rate)
    return prices, recovered


def load():
    return np.linspace(70.0, 140.0, 600), np.linspace(0.1, 2.0, 400), 0.25


def run(inputs):
    return surface(*inputs)


def picture(inputs, result):
    surface_ = result[1]
    return (surface_ - surface_.min()) / (surface_.max() - surface_.min())


if __name__ == "__main__":
    prices, recovered = run(load())
    print(prices.mean(), recovered.min(), recovered.max())
