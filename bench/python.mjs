/**
 * Times the start-up of the command that pip installs, in pairs with bin/ on the Node that runs this script:
 *
 *     node bench/python.mjs build/python/3.13/bin/tiledb-inspect    (python/test.py makes that environment)
 */
import { ms, pairs, TOOL } from './measure.mjs'

const [command] = process.argv.slice(2)
if (!command) throw new TypeError('expected the command that pip installed')
const places = 'examples/arrays/places'
for (const args of [['--version'], ['ls', places, '--json'], ['read', places, '--json'], [places]]) {
  const { a, b, ratio } = pairs([command, args], [process.execPath, [...TOOL, ...args]], 21)
  console.log(`${args.join(' ')}: by pip ${ms(a)}, bin/ on Node ${process.version} ${ms(b)}: ratio ${ratio.toFixed(2)}`)
}
