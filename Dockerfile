# An image with the programs of the static release archive and nothing else.
#
#   docker build --file Dockerfile --tag parikh DIRECTORY      # the directory with the archive, as target/dist
#   docker run --rm --volume "$PWD:/work" parikh check model.pnml -e ReachabilityDeadlock
FROM scratch
ARG VERSION=0.1.0
ADD parikh-${VERSION}-linux-x86_64-static.tar.gz /
ENV PATH=/parikh-${VERSION}-linux-x86_64-static/bin
WORKDIR /work
ENTRYPOINT ["parikh"]
