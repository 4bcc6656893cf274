/** The HTML of a webview. */

interface Parts {
  /** The script of webview.ts. */
  webview: string
  /** What the page shows first, as its link says it. */
  link: string | undefined
  /** Word by which the policy lets that script run. */
  nonce: string
}

/**
 * The HTML around the page. A frame has the policy of the page around it besides its own. So this one has the page's, and lets run
 * one script more. What the page forbids for its base would forbid the frame's base, which is not there when the page is read.
 * @param page the HTML of the page
 * @throws Error if the page has no policy
 */
export function pageHtml(page: string, { webview, link, nonce }: Parts): string {
  const [, policy] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page) ?? []
  if (policy === undefined) throw new Error('expected a page with a policy')
  const around = policy.replace('script-src ', `script-src 'nonce-${nonce}' `).replace("; base-uri 'none'", '')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${around}">
<title>tiledb-inspect</title>
</head>
<body>
<script nonce="${nonce}">const link = ${JSON.stringify(link ?? '').replaceAll('<', '\\u003c')};
${webview}</script>
</body>
</html>
`
}

/** The HTML that says why there is no page. It runs nothing. */
export function errorHtml(error: string): string {
  const text = error.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'">
<title>tiledb-inspect</title>
</head>
<body><p role="alert">${text}</p></body>
</html>
`
}
