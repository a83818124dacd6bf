const [major, minor] = process.versions.node.split('.').map(Number)
/** Jest supports `require()` of ES modules since this version of Node; `import()` works in all versions. */
const canRequire = major > 24 || (major === 24 && minor >= 9)

async function encryptsAndDecrypts({ createDevKernel }) {
  const kernel = await createDevKernel()
  const plaintext = new TextEncoder().encode('a secret')
  await kernel.transit.createKey({ name: 'orders' })
  const { ciphertext } = await kernel.transit.encrypt({ name: 'orders', plaintext })
  const opened = await kernel.transit.decrypt({ name: 'orders', ciphertext })
  expect(new TextDecoder().decode(opened.plaintext)).toBe('a secret')
  await kernel.close()
}

test('a CommonJS test loads the package with import()', async () => encryptsAndDecrypts(await import('strongroom')))

const testRequire = canRequire ? test : test.skip
testRequire('a CommonJS test loads the package with require()', () => encryptsAndDecrypts(require('strongroom')))
