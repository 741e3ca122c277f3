# Every part of the service: one image, a command for each.
FROM python:3.11.15-slim-bookworm

ENV PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    PIP_NO_CACHE_DIR=1 \
    PIP_DISABLE_PIP_VERSION_CHECK=1 \
    SANTIAGO_HOST=0.0.0.0

WORKDIR /srv/santiago

# For hosts of uploaded bots: sandboxes, and what builds of C and C++ and bots for Node need.
RUN apt-get update && apt-get install --yes --no-install-recommends \
        bubblewrap libseccomp2 gcc g++ libc6-dev nodejs npm && rm -rf /var/lib/apt/lists/*

COPY requirements.lock .
RUN pip install --require-hashes -r requirements.lock

COPY pyproject.toml setup.py README.md LICENSE ./
COPY referee referee
COPY ladder ladder
COPY web web
COPY docs docs
COPY proto proto
COPY sample_bots sample_bots
RUN SANTIAGO_COMPILE=1 pip install --no-deps --no-build-isolation . && useradd --system --create-home santiago \
    && install --directory --owner=santiago /run/house /var/lib/santiago-host \
    && install --directory --owner=santiago --mode=0700 /run/santiago-host  # a volume takes its owner from here

USER santiago
EXPOSE 8000

# The site, unless another command is given.
CMD ["python", "-m", "web"]
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8000/healthz', timeout=4)"]
