"""Django 3.2 to 5: pip install django ./clients/python. docs/login.md has the lines of urls.py."""
import json
import os

from django.core.exceptions import BadRequest
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_POST
from peyk import Peyk
from peyk.login import Login

login = Login(Peyk(os.environ["PEYK_URL"], api_key=os.environ["PEYK_API_KEY"]))


def given(request):  # JSON, which another site's form cannot send; or use Django's CSRF token
    try:
        if request.content_type == "application/json" and isinstance(body := json.loads(request.body), dict):
            return body
    except ValueError:
        pass
    raise BadRequest("the body must be a JSON object")


def answer(reply):
    return JsonResponse(reply.body, status=reply.status)


@csrf_exempt
@require_POST
def send(request):
    return answer(login.send(request.session, request.META["REMOTE_ADDR"], given(request).get("phone")))


@csrf_exempt
@require_POST
def next_channel(request):
    channel = given(request).get("channel")
    return answer(login.next(request.session, request.META["REMOTE_ADDR"], channel))


@require_GET
def status(request):
    return answer(login.status(request.session))


@csrf_exempt
@require_POST
def verify(request):
    reply = login.verify(request.session, given(request).get("code"))
    if reply.phone is not None:
        # A new session, whose id nobody can know from before. Sign the person in here: login(request, user).
        request.session.flush()
        request.session["phone"] = reply.phone
    return answer(reply)


def account(request):
    phone = request.session.get("phone")
    return HttpResponse(f"You are signed in as {phone}.") if phone else redirect("/")
