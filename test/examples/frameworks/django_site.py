"""Serves examples/django/views.py in a site of Django, with the middleware of a new project."""
import os
from wsgiref.simple_server import make_server

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.urls import path

settings.configure(
    ALLOWED_HOSTS=["127.0.0.1"],
    MIDDLEWARE=[
        "django.middleware.security.SecurityMiddleware",
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.common.CommonMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.middleware.clickjacking.XFrameOptionsMiddleware",
    ],
    ROOT_URLCONF=__name__,
    SECRET_KEY="only for a test",
    USE_TZ=True,
)
application = get_wsgi_application()

import views  # noqa: E402

urlpatterns = [path("login/send", views.send), path("login/verify", views.verify)]

server = make_server("127.0.0.1", int(os.environ["PORT"]), application)
print("Open", flush=True)
server.serve_forever()
