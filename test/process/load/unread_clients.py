"""Clients with small receive windows that ask for what anybody may ask for, and never read.

usage: unread_clients.py PORT COUNT. It prints a line once all are connected, opens a connection again when it is
closed, and ends with its standard input.
"""
import select
import socket
import sys


def get(path):
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


SEND = (
    b"POST /v1/otp/send HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
)
# More than any system keeps for a connection, and what waits behind it.
LARGE = [get("/docs/api") * 20, get("/openapi.json") * 25, get("/console/assets/uPlot.iife.min.js") * 120]
BEHIND = [get("/v1/otp/a") * 40, get("/v1/manage/api-keys") * 20, SEND * 20, b""]
REQUESTS = [large + behind for behind in BEHIND for large in LARGE]


def connect(port, number):
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.connect(("127.0.0.1", port))
    client.sendall(REQUESTS[number % len(REQUESTS)])
    return client


def main():
    port, count = int(sys.argv[1]), int(sys.argv[2])
    closed = select.POLLRDHUP | select.POLLHUP | select.POLLERR
    clients, poll = {}, select.poll()

    def begin(number):
        client = connect(port, number)
        clients[client.fileno()] = (number, client)
        poll.register(client, closed)

    for number in range(count):
        begin(number)
    print("connected", flush=True)
    poll.register(sys.stdin, select.POLLIN | select.POLLHUP)
    while True:
        for descriptor, _ in poll.poll():
            if descriptor == sys.stdin.fileno():
                return
            number, client = clients.pop(descriptor)
            poll.unregister(client)
            client.close()
            begin(number)


main()
