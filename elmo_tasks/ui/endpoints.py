"""Public endpoints of the app: what each tab answers, as JSON."""

from __future__ import annotations

from typing import Any

from elmo_tasks.api import MapRequest, NearestRequest, Service
from elmo_tasks.errors import InputError
from elmo_tasks.ui import compare_form
from elmo_tasks.ui.parts import SHARED, SLOW, TRAINING, endpoint


def build(service: Service) -> None:
    """Register all endpoints in the open blocks."""
    endpoints = _Endpoints(service)
    shared = (
        *(endpoints.compare, endpoints.sentences, endpoints.why, endpoints.substitutes),
        *(endpoints.nearest, endpoints.senses, endpoints.ner, endpoints.what_layers_know),
        *(endpoints.meaning_forms, endpoints.static_neighbours),
    )
    slow = (endpoints.side_by_side, endpoints.sense_map, endpoints.land, endpoints.sentiment)
    for slots, methods in (
        (SHARED, shared),
        (SLOW, slow),
        (TRAINING, (endpoints.training_runs,)),
    ):
        for method in methods:
            endpoint(method, slots)


class _Endpoints:
    """Methods whose names, arguments and docstrings are those of the endpoints."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def compare(
        self,
        word: str,
        sentences: list[str],
        model: str | None = None,
        own_meanings: str | None = None,
    ) -> dict[str, Any]:
        """Compare the uses of a word in 2 to 12 sentences; [brackets] mark another word.

        Example: ``predict("bank", ["The bank refused our loan.", "We sat on the bank of the
        river."], api_name="/compare")``.

        Args:
            word: the word.
            sentences: the sentences that use it.
            model: name of the model; the default one if it is not given.
            own_meanings: meanings of your own, in the format of the dictionary
                (docs/dictionary.md); they count before ours.

        Returns:
            Comparison: with uses (their meaning and its probability), groups (uses of one meaning),
                certainty ("confident", "tentative" or "abstain"), probability (that all groups are
                right), same_meaning (of every two uses; may be empty).
        """
        return self._service.compare(word, sentences, model or None, own_meanings or "").to_dict()

    def sentences(self, sentences: list[str], model: str | None = None) -> dict[str, Any]:
        """Compare 2 to 12 whole sentences.

        Example: ``predict(["The film was good.", "I enjoyed that movie."],
        api_name="/sentences")``.

        Args:
            sentences: the sentences.
            model: name of the model; the default one if it is not given.

        Returns:
            SentenceComparison: with layers (cosine; unconnected: the mean of two unconnected
                sentences), shown (the layer that did best in a test) and message.
        """
        return self._service.sentence_similarity(sentences, model or None).to_dict()

    def side_by_side(
        self, word: str, sentences: list[str], models: list[str] | None = None
    ) -> list[dict[str, Any]]:
        """Compare the uses of a word by two or three models.

        Example: ``predict("bank", ["The bank refused our loan.", "We sat on the bank."],
        api_name="/side_by_side")``.

        Args:
            word: the word.
            sentences: 2 to 12 sentences; [brackets] in a sentence mark another word there.
            models: names of the models; the first three on offer if they are not given.

        Returns:
            for each model what /compare answers, and right: whether its groups are the known
            meanings, or null.
        """
        names = (
            [model.name for model in self._service.models()[: self._service.limits.max_models]]
            if models is None
            else models
        )
        return self._service.side_by_side(
            word, sentences, names, compare_form.known_senses(word, sentences)
        ).to_list()

    def why(
        self,
        word: str,
        sentences: list[str],
        pair: list[int] | None = None,
        layer: str | None = None,
        model: str | None = None,
    ) -> dict[str, Any]:
        """Explain what sets two uses of a word apart by hiding the words around them.

        Example: ``predict("bank", ["The bank refused our loan.", "We sat on the bank of the
        river."], api_name="/why")``.

        Args:
            word: the word.
            sentences: 2 to 12 sentences; [brackets] in a sentence mark another word there.
            pair: two positions in sentences, counted from 0; the most different two uses if it is
                not given.
            layer: "1", "2", ..., "mean", "words" or "verdict"; the verdict, where there is one, if
                it is not given.
            model: name of a model; the default one if it is not given.

        Returns:
            Explanation: with asked ("apart" or "together"), answer, decisive (the word it names, or
                null), ways (of hiding: "" is leaving out), words (changes of the cosine for each
                way, change: their mean), sides (cosines of the half-views).
        """
        if pair is not None and len(pair) != 2:
            raise InputError("Expected pair as a list of two whole numbers, counted from 0.")
        chosen = None if pair is None else (pair[0], pair[1])
        return self._service.explain(
            word, sentences, chosen, layer or None, model or None
        ).to_dict()

    def substitutes(
        self, word: str, sentences: list[str], model: str | None = None
    ) -> dict[str, Any]:
        """Return the eight words that the model expects in the place of a word, in each sentence.

        Example: ``predict("bank", ["The bank refused our loan.", "We sat on the bank."],
        api_name="/substitutes")``.

        Args:
            word: the word.
            sentences: 2 to 12 sentences; [brackets] in a sentence mark another word there.
            model: name of a model that came with its output layer; the default one if it is not
                given.

        Returns:
            word, model, and uses, for each sentence: sentence, token, index, candidates (word,
                probability).
        """
        return self._service.substitutes(word, sentences, model or None).to_dict()

    def sense_map(
        self,
        word: str,
        text: str = "",
        view: str | None = None,
        examples: bool = True,
        model: str | None = None,
        index: bool = False,
        text_b: str = "",
    ) -> dict[str, Any]:
        """Map the uses of a word in the dictionary and in your own text, by meaning.

        Example: ``predict("bank", "We sat on the bank. The bank was muddy.",
        api_name="/sense_map")``.

        Args:
            word: one word; its inflections count.
            text: your own text, at most 2 million characters.
            view: "meanings", a layer ("1"), "mean" or "words"; the first if it is not given.
            examples: whether the examples of the dictionary count.
            model: name of a model; the default one if it is not given.
            index: whether the index that the app was started with counts, too.
            text_b: a second text, to compare the first with.

        Returns:
            SenseMap: with uses (sentence, source, group, probability, place, nearest uses), groups
                (meanings or clusters), views.
        """
        request = MapRequest(
            word=word,
            text=text,
            view=view or None,
            examples=examples,
            model=model or None,
            index=index,
            text_b=text_b,
        )
        return self._service.sense_map(request).to_dict()

    def land(
        self,
        word: str,
        sentence: str,
        text: str = "",
        view: str | None = None,
        examples: bool = True,
        model: str | None = None,
    ) -> dict[str, Any]:
        """Put a sentence on the map of its word, where nothing else moves, and name its meaning.

        Example: ``predict("bank", "The bank was covered with reeds.", api_name="/land")``.

        Args:
            word: one word; its inflections count.
            sentence: uses the word; brackets mark which of several places is meant.
            text: your own text, if the map is drawn from it.
            view: as in ``/sense_map``.
            examples: whether the examples of the dictionary are on the map.
            model: name of a model; the default one if it is not given.

        Returns:
            ProjectedUse: with its place, group (null if its meaning is not on the map), meanings,
                nearest uses and verdict.
        """
        return self._service.project_use(
            sentence,
            MapRequest(
                word=word, text=text, view=view or None, examples=examples, model=model or None
            ),
        ).to_dict()

    def nearest(
        self,
        word: str,
        sentence: str,
        layer: str | None = None,
        only: str = "all",
        source: str | None = None,
        n: int = 15,
        model: str | None = None,
        meaning: str = "",
    ) -> dict[str, Any]:
        """Find the uses of any word that are nearest to a word in a sentence.

        Example: ``predict("bank", "We sat on the bank of the river.", api_name="/nearest")``.

        Args:
            word: the word; [brackets] in the sentence mark another one.
            sentence: its sentence; may be empty where a meaning is given.
            layer: "meanings" (the features that predict meanings), "0", "1", ... or "mean"; the
                first if it is not given.
            only: "all", "same" (this word only) or "other" (other words only).
            source: "dictionary", or the title of the index that the app was started with.
            n: how many uses, 1 to 50.
            model: name of a model; the default one if it is not given.
            meaning: only uses of the word in this meaning, by its short name in the dictionary.

        Returns:
            NearestUses: with uses (sense: empty where it is not known; probability: null for an
                example, whose meaning is known) and static (words without context, by the vectors
                named).
        """
        request = NearestRequest(
            word=word,
            sentence=sentence,
            layer=layer or None,
            only=only,
            source=source or None,
            n=n,
            model=model or None,
            meaning=meaning,
        )
        return self._service.nearest(request).to_dict()

    def sentiment(self, texts: list[str], head: str | None = None) -> list[dict[str, Any]]:
        """Classify texts: label, probabilities, and occlusion: what leaving out a word changes.

        Example: ``predict(["A warm and funny film.", "The room was cold."],
        api_name="/sentiment")``.

        Args:
            texts: the texts.
            head: name of a classification head; the default one if it is not given.

        Returns:
            ClassifiedText of each: without occlusion for texts of more words than one request may
                have weighed, shortest first.
        """
        return [result.to_dict() for result in self._service.classify(texts, head or None)]

    def senses(
        self, text: str, model: str | None = None, own_meanings: str | None = None
    ) -> dict[str, Any]:
        """Find the meaning of each word of a text for which the dictionary lists several.

        Example: ``predict("She sat on the bank and watched the boats.", api_name="/senses")``.

        Args:
            text: English text of at most 2,000 words.
            model: name of a model; the default one if it is not given.
            own_meanings: meanings of your own, in the format of the dictionary
                (docs/dictionary.md); they count before ours.

        Returns:
            TextSenses: with words (their meaning: null for another one, its probability and
                certainty).
        """
        return self._service.disambiguate(text, model or None, own_meanings or "").to_dict()

    def ner(
        self, sentences: list[str], head: str | None = None, n_readings: int = 1
    ) -> list[dict[str, Any]]:
        """Find the entities in sentences, or tag their words.

        Example: ``predict(["Ada Marsh flew from Oslo to Lima."], api_name="/ner")``.

        Args:
            sentences: the sentences.
            head: name of a tagging head; the default one if it is not given.
            n_readings: how many readings to give, the best one and its runners-up; 1 to 10.

        Returns:
            TaggedText of each: with tags, spans (type, confidence, where), probability,
                alternatives.
        """
        return [
            result.to_dict() for result in self._service.tag(sentences, head or None, n_readings)
        ]

    def training_runs(self) -> list[dict[str, Any]]:
        """List the training runs on this machine, the newest first: name, status, scores, rounds.

        Example: ``predict(api_name="/training_runs")``.
        """
        return [job.to_dict() for job in self._service.training.jobs()]

    def what_layers_know(self) -> list[dict[str, Any]]:
        """List what was measured of each layer of the available models.

        Example: ``predict(api_name="/what_layers_know")``.
        """
        return [model.to_dict() for model in self._service.probes()]

    def meaning_forms(
        self, word: str, sentence: str, senses: list[str] | None = None, model: str | None = None
    ) -> dict[str, Any]:
        """Follow two meanings of a word while its sentence is read word by word.

        Example: ``predict("case", "The first case of flu came on Monday.", ["legal", "illness"],
        api_name="/meaning_forms")``.

        Args:
            word: a word of the dictionary, such as "bank".
            sentence: a sentence of at most 40 words that uses it.
            senses: keys of two of its meanings in the dictionary; the first two if they are not
                given.
            model: name of the model; the default one if it is not given.

        Returns:
            The two meanings; for each step from the word to the end the words read, the
            probabilities of the first and of the second meaning, and the likeliest of all meanings
            of the word (null where the model is not sure).
        """
        return self._service.incremental_reading(
            word, sentence, senses or None, model or None
        ).to_dict()

    def static_neighbours(self, word: str, n: int = 12) -> dict[str, Any]:
        """Find the words nearest to a word among static vectors, which read no sentence.

        Example: ``predict("bank", 5, api_name="/static_neighbours")``.

        Args:
            word: one word.
            n: how many neighbours; 1 to 50.

        Returns:
            word, vectors (their name), vocabulary (its size), neighbours (word, cosine), nearest
            first.
        """
        return self._service.static_neighbours(word, n).to_dict()
