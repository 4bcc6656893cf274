import process from 'node:process'
import { exportVectors } from './export.ts'

/** Writes test vectors for other readers into a new folder: `npm run vectors -- FOLDER`. */
const folder = process.argv[2]
if (folder === undefined) throw new Error('expected a folder to make: npm run vectors -- FOLDER')
const vectors = await exportVectors(folder)
console.log(`${folder}: ${vectors.length} vectors`)
