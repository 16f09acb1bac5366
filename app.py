"""What a hosted Space runs: ``python app.py``."""

from elmo_tasks.app import __getattr__, main  # noqa: F401  (the first finds `demo`, for gradio's own commands)

if __name__ == "__main__":
    main()
