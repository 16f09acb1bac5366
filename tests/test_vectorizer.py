"""Vectors of sentences in pipelines of scikit-learn."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from elmo_tasks import ElmoVectorizer
from elmo_tasks.encoders.elmo import Elmo
from elmo_tasks.errors import ConfigError, InputError
from tests.training.toy_task import write_encoder, write_static

TEXTS = ["a good film", "a kind and warm one", "bad", "a cold and rude film", "good good", "rude"]
LABELS = [1, 1, 0, 0, 1, 0]


@pytest.fixture
def model(tmp_path):
    return str(write_encoder(tmp_path / "toy"))


def test_a_vector_is_the_mean_over_the_tokens_of_a_layer(model):
    layers = Elmo.load(model).encode(TEXTS)
    for layer in (0, 2, -1):
        found = ElmoVectorizer(model, layer, batch_size=2).fit_transform(TEXTS)
        for k, row in enumerate(found):
            np.testing.assert_allclose(row, layers.sentence(k)[layer].mean(dim=0), atol=1e-5)
    mixed = ElmoVectorizer(model).transform(text for text in TEXTS)
    np.testing.assert_allclose(mixed[1], layers.sentence(1).mean(dim=(0, 1)), atol=1e-5)
    empty = ElmoVectorizer(model).transform(["", "a"])
    assert not empty[0].any()
    assert empty[1].any()


def test_it_works_in_a_grid_search_and_a_pickle_holds_no_weights(model):
    search = GridSearchCV(
        make_pipeline(ElmoVectorizer(model), LogisticRegression()),
        {"elmovectorizer__layer": [0, 1, "mean"]},
        cv=2,
    )
    search.fit(TEXTS, LABELS)
    assert set(search.predict(TEXTS)) <= {0, 1}
    vectorizer = ElmoVectorizer(model, layer=1)
    expected = vectorizer.fit_transform(TEXTS)
    kept = pickle.dumps(vectorizer)
    assert len(kept) < 1_000
    np.testing.assert_array_equal(pickle.loads(kept).transform(TEXTS), expected)
    np.testing.assert_array_equal(clone(vectorizer).transform(TEXTS), expected)


def test_the_parameters_may_change_afterwards(model, tmp_path):
    vectorizer = ElmoVectorizer(model).fit(TEXTS)
    vectorizer.set_params(model=str(write_static(tmp_path / "vectors") or tmp_path / "vectors"))
    assert vectorizer.transform(["Oslo"]).shape == (1, 5)
    assert len(vectorizer.get_feature_names_out()) == 5


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"layer": 3}, "layer: expected 0 to 2 or 'mean', found 3"),
        ({"layer": "top"}, "layer: expected 0 to 2 or 'mean', found 'top'"),
        ({"batch_size": 0}, "batch_size: expected 1 or more, found 0"),
        ({"precision": "int4"}, "precision: expected float32 or int8"),
    ],
)
def test_wrong_parameters_are_refused(model, settings, message):
    with pytest.raises(ConfigError, match=message):
        ElmoVectorizer(model, **settings).fit(TEXTS)


def test_a_missing_value_is_named(model):
    with pytest.raises(InputError, match="sentence 2: .* a missing value"):
        ElmoVectorizer(model).transform(["a", None])
