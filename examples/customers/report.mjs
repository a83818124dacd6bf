/**
 * Prints the results of the steps, and their duration.
 */
const WIDTH = 30
const number = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })

export const say = (line = '') => console.log(line)

/** Runs one step and prints its result: `describe` returns the line to print. */
export async function step(describe, work) {
  const started = performance.now()
  const result = await work()
  const ms = performance.now() - started
  say(`  ${describe(result, ms)}`)
  return result
}

export const duration = (ms) => (ms < 1000 ? `${ms.toFixed(ms < 10 ? 1 : 0)} ms` : `${(ms / 1000).toFixed(2)} s`)

/** `15,000 cells in 140 ms (107,000/s)` */
export const rate = (count, what, ms) =>
  `${number.format(count)} ${what} in ${duration(ms)} (${number.format(Math.round(count / ms) * 1000)} per second)`

/** Shows progress: on a terminal as a bar that is redrawn in place, otherwise, for example in a log, as a line after every quarter. */
export function progressBar(label) {
  let quarter = 0
  return (done, total) => {
    const share = done / total
    if (process.stdout.isTTY) {
      const full = Math.round(share * WIDTH)
      const bar = '█'.repeat(full) + '░'.repeat(WIDTH - full)
      process.stdout.write(`\r\x1b[2K  ${label} ${bar} ${number.format(done)} of ${number.format(total)}`)
      if (done === total) process.stdout.write('\r\x1b[2K')
    } else if (Math.floor(share * 4) > quarter) {
      quarter = Math.floor(share * 4)
      say(`  ${label}: ${quarter * 25} %`)
    }
  }
}
