"""Receives webhooks, and believes only those with a valid signature.

LUDUS_WEBHOOK_PRIVATE=true ludus serve                                    in one terminal
ludus tenant create "My app" --webhook http://127.0.0.1:3000/hooks        in another; prints the secret
WEBHOOK_SECRET=whsec_… python examples/webhook_receiver.py --port 3000
"""

import argparse
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from standardwebhooks import Webhook, WebhookVerificationError

MOST_BYTES = 100_000
seen: set[str] = set()
"""A real app keeps these in its database: a delivery may come again, also after a restart."""


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        size = self.headers.get("Content-Length", "")
        if not size.isdecimal() or int(size) > MOST_BYTES:
            return self.answer(413)
        try:  # checks the signature and the time, against replays
            delivery = Webhook(os.environ["WEBHOOK_SECRET"]).verify(self.rfile.read(int(size)), dict(self.headers))
        except WebhookVerificationError:
            return self.answer(401)
        self.answer(204)  # first the answer, then the work
        if delivery["deliveryId"] in seen:
            return None
        seen.add(delivery["deliveryId"])
        return print(delivery["event"], delivery["sessionId"], delivery["data"], flush=True)

    def answer(self, status: int) -> None:
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """The events are enough."""


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Receive webhooks.")
    parser.add_argument("--port", type=int, default=3000, help="where to listen; 0 for any free port")
    with ThreadingHTTPServer(("127.0.0.1", parser.parse_args().port), Receiver) as server:
        print(f"open at http://127.0.0.1:{server.server_port}", flush=True)
        server.serve_forever()
