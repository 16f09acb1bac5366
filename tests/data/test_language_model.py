"""Text files -> ids -> parallel streams and held-out sentences."""

import lzma
import shutil

import numpy as np
import pytest

from elmo_tasks.data import language_batches
from elmo_tasks.data.language_batches import (
    StreamLoader,
    TokenizedCorpus,
    sentence_batches,
    target_ids,
)
from elmo_tasks.data.language_model import LanguageModelData
from elmo_tasks.errors import ConfigError, DataError
from elmo_tasks.text.characters import BEGIN_SENTENCE_IDS, END_SENTENCE_IDS, character_ids
from elmo_tasks.text.vocabulary import BEGIN_ID, END_ID, SPECIAL_WORDS, UNKNOWN_ID, Vocabulary

TEXT = "the cat saw the dog\n\nthe dog ran\na cat slept near the old dog\n"


@pytest.fixture
def text_file(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text(TEXT)
    return path


@pytest.fixture
def corpus(text_file, tmp_path):
    return TokenizedCorpus.build([text_file], tmp_path / "cache")


def words_of(corpus, ids):
    return [corpus.words[k] for k in ids]


def test_ids_are_ranks_and_both_directions_hold_the_same_sentences(corpus):
    assert corpus.words[:5] == [*SPECIAL_WORDS, "the", "dog"]
    assert corpus.counts.tolist()[:5] == [3, 3, 0, 4, 3]
    assert (corpus.n_sentences, corpus.n_tokens) == (3, 15)
    ahead, back = words_of(corpus, corpus.forward), words_of(corpus, corpus.backward)
    assert " ".join(ahead[:12]) == "<S> the cat saw the dog </S> <S> the dog ran </S>"
    assert " ".join(back[:12]) == "</S> dog the saw cat the <S> </S> ran dog the <S>"
    assert corpus.characters[BEGIN_ID].tolist() == list(BEGIN_SENTENCE_IDS)
    assert corpus.characters[END_ID].tolist() == list(END_SENTENCE_IDS)
    assert corpus.characters[3].tolist() == character_ids("the")


def test_compressed_text_is_the_same_and_a_second_call_reads_the_ids(text_file, tmp_path, corpus):
    compressed = tmp_path / "other.txt.xz"
    compressed.write_bytes(lzma.compress(TEXT.encode()))
    again = TokenizedCorpus.build([compressed], tmp_path / "cache")
    assert again.words == corpus.words
    np.testing.assert_array_equal(again.forward, corpus.forward)
    folders = sorted((tmp_path / "cache").iterdir())
    assert len(folders) == 2
    times = [(f / "forward.bin").stat().st_mtime_ns for f in folders]
    TokenizedCorpus.build([text_file], tmp_path / "cache")
    assert [(f / "forward.bin").stat().st_mtime_ns for f in folders] == times


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("bad.txt", b"fine\n\xff\xfe\n", "bad.txt: expected UTF-8 text"),
        ("broken.txt.xz", lzma.compress(TEXT.encode() * 100)[:60], "the compressed data is broken"),
        ("empty.txt", b"\n\n", "no sentence in them"),
    ],
)
def test_nothing_is_left_of_a_build_that_failed(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=message):
        TokenizedCorpus.build([tmp_path / name], tmp_path / "cache")
    assert not list((tmp_path / "cache").glob("*"))


def stream_words(corpus, batch, direction, row):
    """Words of one stream of a batch, found by their characters."""
    by_characters = {
        tuple(c): w for c, w in zip(corpus.characters.tolist(), corpus.words, strict=True)
    }
    return [by_characters[tuple(batch.characters[k].tolist())] for k in batch.words[direction, row]]


def test_streams_resume_and_predict_the_next_word(corpus):
    targets = target_ids(corpus.words, Vocabulary(corpus.words))
    loader = StreamLoader(corpus, targets, batch_size=2, unroll_steps=4, n_batches=2)
    first, second = list(loader)
    length = len(corpus.forward) // 2
    for direction, ids in ((0, corpus.forward), (1, corpus.backward)):
        for row in (0, 1):
            expected = words_of(corpus, ids[row * length : row * length + 9])
            assert stream_words(corpus, first, direction, row) == expected[:4]
            assert stream_words(corpus, second, direction, row) == expected[4:8]
            assert words_of(corpus, first.targets[direction, row]) == expected[1:5]
            assert words_of(corpus, second.targets[direction, row]) == expected[5:9]
    assert len(first.characters) == len(np.unique(first.words))  # each distinct word once


def loader(corpus, targets, batch_size, n_batches, **options) -> StreamLoader:
    return StreamLoader(corpus, targets, batch_size, unroll_steps=3, n_batches=n_batches, **options)


@pytest.mark.parametrize("left_out", [0, 2])
def test_a_loader_resumes_at_the_saved_batch(corpus, left_out):
    targets = target_ids(corpus.words, Vocabulary(corpus.words))
    whole = [batch.targets.tolist() for batch in loader(corpus, targets, 1, 5)]
    stopped = loader(corpus, targets, 1, 5 - left_out, first_batch=left_out)
    assert next(iter(stopped)).targets.tolist() == whole[left_out]
    resumed = loader(corpus, targets, 1, 5 - left_out, first_batch=left_out)
    resumed.load_state_dict(stopped.state_dict())
    assert [batch.targets.tolist() for batch in resumed] == whole[left_out + 1 :]


def test_processes_share_the_streams(corpus):
    targets = target_ids(corpus.words, Vocabulary(corpus.words))
    alone = loader(corpus, targets, 4, 1).batch(0)
    shares = [loader(corpus, targets, 2, 1, rank=rank, world_size=2).batch(0) for rank in (0, 1)]
    assert np.array_equal(np.concatenate([s.targets for s in shares], axis=1), alone.targets)


def test_sentence_batches_hold_every_sentence_once():
    sentences = [["a"] * k for k in (3, 9, 1, 4, 4, 12)]
    vocabulary = Vocabulary([*SPECIAL_WORDS, "b"])
    batches = list(sentence_batches(sentences, vocabulary, max_tokens=20))
    assert sorted(int(n) - 2 for b in batches for n in b.lengths) == sorted(map(len, sentences))
    assert all(b.words.numel() <= 20 for b in batches)
    first = batches[0]
    assert first.targets[0, :3].tolist() == [BEGIN_ID, UNKNOWN_ID, END_ID]


def test_text_that_was_read_before_is_left_out_of_the_pass(text_file, tmp_path):
    def steps(**settings):
        data = LanguageModelData(
            [str(text_file)], str(tmp_path / "cache"), batch_size=1, unroll_steps=3, **settings
        )
        data.setup()
        return data.n_batches

    assert steps(skip_tokens=6) == steps() - 2
    assert steps(skip_tokens=6, max_tokens=3) == 1
    with pytest.raises(DataError, match="skip_tokens 3,000: the text has no more than that"):
        steps(skip_tokens=3000)
    with pytest.raises(ConfigError, match="skip_tokens -1: expected 0 or more"):
        steps(skip_tokens=-1)


def test_held_out_lines_of_the_training_sources(tmp_path):
    (tmp_path / "held.txt").write_text("one\ntwo\nthree\nfour\n")
    (tmp_path / "index.tsv").write_text(
        "source\tfirst_line\tlast_line\nnews_a\t1\t1\nwiki_b\t2\t3\nwiki_bc\t4\t4\n"
    )
    found = language_batches.held_out_sentences(
        tmp_path / "held.txt", tmp_path / "index.tsv", ["wiki_b_000.txt.xz"]
    )
    assert found == [["two"], ["three"]]
    assert len(language_batches.held_out_sentences(tmp_path / "held.txt", None, [])) == 4
    with pytest.raises(DataError, match="no held-out sentence of the sources blog_000"):
        language_batches.held_out_sentences(
            tmp_path / "held.txt", tmp_path / "index.tsv", ["blog_000.txt"]
        )


def test_the_data_module_summarizes_the_training(text_file, tmp_path):
    data = LanguageModelData(
        [str(tmp_path / "te*.txt")], str(tmp_path / "cache"), 6, batch_size=2, unroll_steps=3
    )
    data.setup()
    summary = data.summary()
    assert "15 tokens in 3 sentences, 9 distinct words; 6 words to predict cover 60.00%" in summary
    assert "2 streams x 3 words = 6 positions per step; 3 steps = 18 positions" in summary
    assert len(data.vocabulary) == 6
    with pytest.raises(DataError, match=r"data.files: '.*nothing\*' matches no file"):
        LanguageModelData([str(tmp_path / "nothing*")]).paths()
    data = LanguageModelData([str(text_file)], str(tmp_path / "cache"), batch_size=64)
    data.setup()
    with pytest.raises(
        DataError, match="the text has 21 words .* too few for 64 streams of at least 21"
    ):
        data.train_dataloader()


def test_a_given_vocabulary_is_used(text_file, tmp_path):
    (tmp_path / "v.txt").write_text("</S>\n<S>\n<UNK>\ndog\nzebra\n")
    data = LanguageModelData(
        [str(text_file)], str(tmp_path / "cache"), vocabulary=str(tmp_path / "v.txt")
    )
    data.setup()
    assert data.vocabulary.words == (*SPECIAL_WORDS, "dog", "zebra")
    (tmp_path / "v.txt").write_text("dog\n<S>\n")
    shutil.rmtree(tmp_path / "cache")
    with pytest.raises(
        DataError,
        match=r"v.txt: a vocabulary begins with </S>, <S>, <UNK>; this one begins with dog",
    ):
        LanguageModelData(
            [str(text_file)], str(tmp_path / "cache"), vocabulary=str(tmp_path / "v.txt")
        ).setup()
    (tmp_path / "v.txt").write_text("</S>\n<S>\n<UNK>\ndog\ndog\n")
    with pytest.raises(DataError, match="the word 'dog' is in the vocabulary twice"):
        Vocabulary.load(tmp_path / "v.txt")


def test_text_with_one_word_per_line_is_refused(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("".join(f"กขค{k}\n" for k in range(30)), encoding="utf-8")
    with pytest.raises(
        DataError,
        match=(
            "nearly every line of the text files is one word .30 words in 30 lines.: expected a"
            " sentence"
        ),
    ):
        TokenizedCorpus.build([path], tmp_path / "cache")
