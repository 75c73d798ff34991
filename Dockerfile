# The command in a container: `docker build -t independence .`, then `docker run --rm -v "$PWD:/data" independence demo`.
ARG PYTHON=3.13.7-slim-bookworm

FROM python:${PYTHON} AS build
ARG PREFIX=/opt/independence
# For example EXTRAS=[parquet,ray].
ARG EXTRAS=
WORKDIR /build
COPY pyproject.toml LICENSE ./
COPY docs/package.md docs/
COPY src src
RUN python -m venv --without-pip "$PREFIX" \
    && pip --python="$PREFIX/bin/python" install --no-cache-dir --disable-pip-version-check "./$EXTRAS"

FROM python:${PYTHON}
ARG PREFIX=/opt/independence
ARG DATA=/data
COPY --from=build ${PREFIX} ${PREFIX}
# Nobody on the host has to be this user: stores are written to a volume that belongs to it, or to a folder of yours
# under your own number (`--user`).
RUN mkdir -p "$DATA" && chown 1000:1000 "$DATA" && chmod 1777 "$DATA"
ENV PATH=${PREFIX}/bin:${PATH} HOME=/tmp MPLCONFIGDIR=/tmp
USER 1000:1000
WORKDIR ${DATA}
VOLUME ${DATA}
# As Ctrl-C: a run ends in order, and the same command continues it.
STOPSIGNAL SIGINT
ENTRYPOINT ["independence"]
CMD ["--help"]
