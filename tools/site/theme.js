// Before anything is drawn, so that the page does not flash in the other colours.
const chosen = localStorage.getItem('colours') ?? 'system'
if (chosen !== 'system') document.documentElement.dataset.theme = chosen
addEventListener('DOMContentLoaded', () => {
  const select = document.querySelector('.theme select')
  select.value = chosen
  select.addEventListener('change', () => {
    localStorage.setItem('colours', select.value)
    if (select.value === 'system') delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = select.value
  })
  // In narrow windows the list of pages is closed at first.
  if (matchMedia('(max-width: 60rem)').matches) document.querySelector('.contents').open = false
})
