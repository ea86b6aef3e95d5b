class Heard:
    """Listens to progress and keeps what it heard; then does what a test wants in the middle of a count."""

    def __init__(self, then=None):
        self.said = []
        self.counts = []
        self._then = then

    def say(self, text):
        self.said.append(text)

    def start(self, what, unit, n_total):
        def tell(n_done):
            self.counts.append((what, unit, n_done, n_total))
            if self._then:
                self._then(n_done, n_total)

        return tell
