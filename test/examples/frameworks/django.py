"""Serves examples/django/views.py with the few parts of Django that it uses, so that a test needs no Django."""
import json
import os
import sys
import types
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, HTTPServer


class JsonResponse:
    def __init__(self, data, status=200):
        self.body, self.status, self.cookies = json.dumps(data).encode(), status, SimpleCookie()

    def set_cookie(self, name, value, max_age, httponly, samesite):
        self.cookies[name] = value
        self.cookies[name].update({"max-age": max_age, "httponly": httponly, "samesite": samesite})

    def delete_cookie(self, name):
        self.cookies[name] = ""
        self.cookies[name]["max-age"] = 0


def module(name, **members):
    made = sys.modules[name] = types.ModuleType(name)
    made.__dict__.update(members)


def unchanged(view):
    return view


for package in ["django", "django.views", "django.views.decorators"]:
    module(package)
module("django.http", JsonResponse=JsonResponse)
module("django.views.decorators.csrf", csrf_exempt=unchanged)
module("django.views.decorators.http", require_POST=unchanged)

import views  # noqa: E402


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        cookies = SimpleCookie(self.headers.get("Cookie", ""))
        request = types.SimpleNamespace(
            body=self.rfile.read(int(self.headers["Content-Length"])),
            headers=self.headers,
            META={"REMOTE_ADDR": self.client_address[0]},
            COOKIES={name: each.value for name, each in cookies.items()},
        )
        response = getattr(views, self.path.split("/")[-1])(request)
        self.send_response(response.status)
        for cookie in response.cookies.values():
            self.send_header("Set-Cookie", cookie.OutputString())
        self.send_header("Content-Length", str(len(response.body)))
        self.end_headers()
        self.wfile.write(response.body)

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler)
print("Open", flush=True)
server.serve_forever()
