"""Readers of data files, and the data modules that make batches of them.

- Any file: ``text_lines`` (bytes to text), ``row_files`` (JSON, parquet, Excel, the hub),
  ``annotations`` (exports of annotation tools).
- Labelled texts: ``labelled_texts`` reads them from ``tables``, whose rows are those of
  ``row_files`` or ``delimited``; ``column_guess`` finds the columns.
- Tagged sentences: ``tag_files`` chooses the reader: ``tag_columns`` (a word per line, with
  ``tag_column_choice``), ``tag_rows`` (a sentence per row) or ``spans`` (marked text);
  ``tag_spelling`` brings the tags into BIO.
- Both: ``records`` has the labelled rows and checks of their labels; ``inputs`` reads texts without
  labels.
- Data modules: ``classification`` and ``tagging`` over ``split_data``; ``language_model`` over
  ``language_batches``; their order is that of ``batches``.
- Published word uses, for evaluation: ``sense_uses``.
"""
