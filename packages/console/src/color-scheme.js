// Shows the frame of index.html in the chosen theme, before Mantine does. The browser has it in its cache as soon as there is a choice.
// The policy of the page allows no inline script (packages/server/src/http/console.ts).
const scheme = localStorage.getItem('mantine-color-scheme-value')
if (scheme === 'light' || scheme === 'dark')
  document.documentElement.setAttribute('data-mantine-color-scheme', scheme)
