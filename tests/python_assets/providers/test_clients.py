import asyncio

from python_assets.providers.clients import Clients


def test_calls_in_flight_have_a_client_each_and_later_ones_take_them_over() -> None:
    clients = Clients("http://127.0.0.1:9/v1", {"user-agent": "plumbline"})

    async def run() -> None:
        with clients.lent() as first, clients.lent() as second:
            assert first is not second
        with clients.lent() as again:
            assert again in (first, second)
        assert again.headers["user-agent"] == "plumbline"
        await clients.close()
        assert first.is_closed and second.is_closed

    asyncio.run(run())


def test_a_client_whose_call_failed_is_lent_again() -> None:
    clients = Clients("http://127.0.0.1:9/v1", {})
    kept = None
    try:
        with clients.lent() as kept:
            raise ConnectionError
    except ConnectionError:
        pass
    with clients.lent() as again:
        assert again is kept
