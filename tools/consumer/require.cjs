// A CommonJS program: `require()` loads every entry, `import()` finds the same modules, and a kernel works.
const assert = require('node:assert/strict')
const { join } = require('node:path')
const { exports: entries } = require('strongroom/package.json')

// The last two extend frameworks, so they can be loaded only where these are installed.
const left = /\.json$|^\.\/(?:nestjs|otel)$/
const subpaths = Object.keys(entries).filter((subpath) => !left.test(subpath))
const modules = Object.fromEntries(
  subpaths.map((subpath) => [subpath, require(join('strongroom', subpath).replaceAll('\\', '/'))]),
)

async function main() {
  const { createDevKernel, KernelError, keySeal, memoryStorage } = modules['.']
  assert.equal((await import('strongroom')).KernelError, KernelError)

  const plaintext = new TextEncoder().encode('a secret')
  const whole = await createDevKernel()
  const chosen = await modules['./kernel'].createKernel({
    engines: [modules['./engines'].transit()],
    storage: memoryStorage(),
    seal: keySeal(new Uint8Array(32).fill(7)),
    initialize: true,
  })
  for (const { transit } of [whole, chosen]) {
    await transit.createKey({ name: 'orders' })
    const { ciphertext } = await transit.encrypt({ name: 'orders', plaintext })
    assert.deepEqual(new Uint8Array((await transit.decrypt({ name: 'orders', ciphertext })).plaintext), plaintext)
  }
  await whole.close()
  await chosen.close()
  console.log(`require: Node ${process.versions.node}, ${subpaths.length} entries, 2 kernels`)
}

void main()
