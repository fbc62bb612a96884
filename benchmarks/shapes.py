"""The DAGs that the benchmarks run: a list of (id, parents), parents before children."""

from __future__ import annotations

from collections.abc import Callable

Dag = list[tuple[int, list[int]]]


def wide(count: int = 1000) -> Dag:
    """Jobs that know nothing of each other."""
    return [(id, []) for id in range(count)]


def chain(count: int = 200) -> Dag:
    """Each waits for the one before."""
    return [(id, [id - 1] if id else []) for id in range(count)]


def mosaic(images: int = 141, overlaps: int = 312) -> Dag:
    """About 600 nodes like a real image mosaic: depth 8, a fan-in of all images twice."""
    dag: Dag = [(id, []) for id in range(images)]  # project each image
    first_pair = len(dag)
    for pair in range(overlaps):  # compare neighbours
        left = pair % images
        right = (left + 1 + pair // images) % images
        dag.append((len(dag), sorted({left, right})))
    dag.append((len(dag), list(range(first_pair, first_pair + overlaps))))  # concatenate
    dag.append((len(dag), [len(dag) - 1]))  # model
    model = len(dag) - 1
    first_corrected = len(dag)
    for image in range(images):  # correct each image
        dag.append((len(dag), [image, model]))
    dag.append((len(dag), list(range(first_corrected, first_corrected + images))))  # table
    for _ in range(3):  # add, shrink, picture
        dag.append((len(dag), [len(dag) - 1]))
    return dag


SHAPES: dict[str, Callable[[], Dag]] = {"wide": wide, "chain": chain, "mosaic": mosaic}
