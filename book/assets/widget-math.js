/* The widget library asks for MathJax 2's queue. Hand what it asks to the MathJax 3 of the page. */
window.addEventListener("load", () => {
  if (window.MathJax && !window.MathJax.Hub) {
    window.MathJax.Hub = {
      Queue: (job) => window.MathJax.startup.promise.then(() => window.MathJax.typesetPromise([job[2]])),
    };
  }
});
