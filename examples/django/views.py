"""Django 3.2 to 5: pip install django ./clients/python. docs/quickstarts.md has the lines of urls.py."""
import json
import os

from django.core.exceptions import BadRequest
from django.http import JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST
from peyk import Peyk, PeykError

peyk = Peyk(os.environ["PEYK_URL"], api_key=os.environ["PEYK_API_KEY"])


# The bodies are JSON, which another site's form cannot send. Check that, or use Django's CSRF token.
def field_of(request, name):
    try:
        if request.content_type == "application/json":
            return str(json.loads(request.body)[name])
    except (ValueError, LookupError, TypeError):
        pass
    raise BadRequest(f"the body must be JSON with {name}")


def refused(error):
    # Not Peyk's own response: its status would say something wrong about this page.
    is_foreign = error.code == "invalid_response" or error.status == 0
    return JsonResponse({"error": error.code}, status=503 if is_foreign else error.status)


@csrf_exempt
@require_POST
def send(request):
    try:
        sent = peyk.otp.send(field_of(request, "phone"), client={"ip": request.META["REMOTE_ADDR"]})
    except PeykError as error:
        return refused(error)
    response = JsonResponse({"expires_in": sent["expires_in"]})
    # The page never sees the id: a code works only in the browser that asked for it.
    response.set_cookie(
        "verification", sent["verification_id"], max_age=sent["expires_in"], httponly=True, samesite="Lax"
    )
    return response


@csrf_exempt
@require_POST
def verify(request):
    verification_id = request.COOKIES.get("verification", "")
    try:
        outcome = peyk.otp.verify(verification_id, field_of(request, "code"))
        if not outcome["verified"]:
            return JsonResponse({"verified": False, "reason": outcome["reason"]})
        phone = peyk.otp.status(verification_id)["phone"]
    except PeykError as error:
        return refused(error)
    # Start your own session for this phone here: login(request, user).
    response = JsonResponse({"verified": True, "phone": phone})
    response.delete_cookie("verification")
    return response
