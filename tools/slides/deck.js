/* reveal.js calls a deck an application, in which screen readers read nothing by themselves. It is a text. */
addEventListener("load", () => {
  const plain = () => Reveal.getRevealElement().removeAttribute("role");
  if (Reveal.isReady()) plain();
  else Reveal.on("ready", plain);
});
