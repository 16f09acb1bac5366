# The app. PyTorch's default build runs on a CPU and on NVIDIA GPUs. TORCH_INDEX names another index of
# packages, such as PyTorch's own for CPUs, whose build is a tenth of the size.
FROM python:3.11-slim
ARG TORCH_INDEX=
WORKDIR /app
COPY requirements.txt constraints.txt pyproject.toml README.md LICENSE ./
# PyTorch first: it is the largest part, and changes least.
RUN torch=$(grep -oE '^torch==[0-9.]+' requirements.txt) \
 && pip install --no-cache-dir ${TORCH_INDEX:+--index-url "$TORCH_INDEX"} "$torch" \
 && pip install --no-cache-dir --use-pep517 -r requirements.txt
COPY elmo_tasks elmo_tasks
COPY checkpoints checkpoints
COPY lightning_configs lightning_configs
RUN pip install --no-cache-dir --no-deps --editable . && useradd --create-home elmo && mkdir /data && chown elmo /data
USER elmo
ENV ELMO_TASKS_CACHE=/data/cache OMP_NUM_THREADS=1 PYTHONUNBUFFERED=1
EXPOSE 7860
HEALTHCHECK --start-period=60s CMD python -c "import urllib.request; urllib.request.urlopen('http://127.0.0.1:7860/health', timeout=5)"
STOPSIGNAL SIGTERM
ENTRYPOINT ["elmo-tasks", "app", "--host", "0.0.0.0", "--port", "7860", "--runs_dir", "/data/runs"]
