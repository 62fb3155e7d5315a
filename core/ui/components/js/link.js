// The line to Python: events are numbered and sent again until answered, so that none is lost and none counts twice.

class Link {
  constructor() {
    this.sequence = 0;
    this.waiting = [];
    this.life = null;
  }

  // Takes note of an answer; true when it answers the newest event, false when it is about an older one.
  hear(component) {
    const { ack, life } = component.data.answer;
    this.trigger = component.setTriggerValue;
    if (life !== this.life) {
      this.life = life;
      this.sequence = ack;
      this.waiting = [];
    }
    this.waiting = this.waiting.filter((event) => event.seq > ack);
    return ack >= this.sequence;
  }

  send(event) {
    this.sequence += 1;
    this.waiting = [...this.waiting, { ...event, seq: this.sequence }].slice(-20);
    this.trigger("event", this.waiting);
  }
}
