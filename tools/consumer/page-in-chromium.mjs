// Opens the builds of build-page.mjs in Chromium, each below the path /with/<bundler>/. The page and its worker must encrypt, decrypt, sign and
// verify without an error in the console and without a request to another origin.
// Usage: node page-in-chromium.mjs <folder with both builds>
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join } from 'node:path'
import { findChromium, openPage } from './chromium.mjs'

const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript' }
/** Allows neither other origins nor `eval`; `data:` is for the empty icon of the page. */
const POLICY = "default-src 'self'; img-src data:"

const folder = process.argv[2]
const server = createServer(({ url }, response) => {
  const path = new URL(url, 'http://localhost').pathname
  try {
    if (!path.startsWith('/with/')) throw new Error('not below the path of the page')
    const file = join(folder, path.slice('/with/'.length).replace(/\/$/, '/index.html'))
    const body = readFileSync(file)
    response.writeHead(200, { 'content-type': TYPES[extname(file)], 'content-security-policy': POLICY }).end(body)
  } catch {
    response.writeHead(404).end()
  }
})

async function check(chromium, bundler) {
  const origin = `http://127.0.0.1:${server.address().port}`
  const { line, requests, errors } = await openPage(chromium, `${origin}/with/${bundler}/`)
  assert.deepEqual(errors, [], `${bundler}: errors in the console`)
  const results = Object.entries(JSON.parse(line))
  assert.deepEqual(
    results.map(([where]) => where),
    ['page', 'worker'],
  )
  for (const [where, result] of results)
    for (const [claim, holds] of Object.entries(result)) assert.equal(holds, true, `${bundler}, ${where}: ${claim}`)
  const outside = requests.filter((url) => !url.startsWith('data:') && !url.startsWith(`${origin}/with/${bundler}/`))
  assert.deepEqual(outside, [], `${bundler}: requests outside of the page's folder`)
  const scripts = requests.filter((url) => url.endsWith('.js'))
  assert.ok(scripts.length > 20, `${bundler}: only ${scripts.length} scripts were loaded`)
  console.log(`page-in-chromium: ${bundler}: page and worker passed, ${scripts.length} scripts loaded`)
}

const chromium = findChromium()
if (!chromium) console.log('page-in-chromium: skipped, because Chromium is not installed; set CHROMIUM to its program')
else {
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    for (const bundler of ['vite', 'esbuild']) await check(chromium, bundler)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}
