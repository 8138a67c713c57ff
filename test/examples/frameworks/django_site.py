"""Serves examples/django/views.py in a site of Django, with the middleware of a new project."""
import os
from wsgiref.simple_server import make_server

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.urls import path, re_path
from django.views.static import serve

settings.configure(
    ALLOWED_HOSTS=["127.0.0.1"],
    INSTALLED_APPS=["django.contrib.sessions"],
    MIDDLEWARE=[
        "django.middleware.security.SecurityMiddleware",
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.common.CommonMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.middleware.clickjacking.XFrameOptionsMiddleware",
    ],
    ROOT_URLCONF=__name__,
    SECRET_KEY="only for a test",
    # no database here: a new project keeps them in its own
    SESSION_ENGINE="django.contrib.sessions.backends.cache",
    USE_TZ=True,
)
application = get_wsgi_application()

import views  # noqa: E402

page = os.environ["LOGIN_PAGE"]
urlpatterns = [
    path("login/send", views.send),
    path("login/next", views.next_channel),
    path("login/status", views.status),
    path("login/verify", views.verify),
    path("account", views.account),
    path("", serve, {"document_root": page, "path": "login.html"}),
    re_path(r"^(?P<path>(?:login|peyk-login)\.\w+)$", serve, {"document_root": page}),
]

server = make_server("127.0.0.1", int(os.environ["PORT"]), application)
print("Open", flush=True)
server.serve_forever()
