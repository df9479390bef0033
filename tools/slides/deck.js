/* reveal.js calls a deck an application, in which screen readers read nothing by themselves. It is a text,
   and the number of the slide is a way through it. */
addEventListener("load", () => {
  const plain = () => {
    const deck = Reveal.getRevealElement(), number = deck.querySelector(".slide-number");
    deck.removeAttribute("role");
    number?.setAttribute("role", "navigation");
    number?.setAttribute("aria-label", "Slide");
  };
  if (Reveal.isReady()) plain();
  else Reveal.on("ready", plain);
});
