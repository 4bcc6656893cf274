import { expect, test } from '@jest/globals'
import { parseXml, XmlFault } from '../../src/layers/xml.ts'

test('elements, attributes, text and references', () => {
  const root = parseXml(
    '\uFEFF<?xml version="1.0"?>\n<!DOCTYPE a>\n<a b="1" c = \'&lt;"&#65;&#x42;\'>one<!-- <d> --><d:e/>two<![CDATA[<3&amp;]]>&amp;&odd;</a>\n',
  )
  expect({ ...root, attributes: [...root.attributes] }).toEqual({
    name: 'a',
    attributes: [
      ['b', '1'],
      ['c', '<"AB'],
    ],
    text: 'onetwo<3&amp;&&odd;',
    elements: [{ name: 'd:e', attributes: new Map(), text: '', elements: [] }],
  })
})

test.each([
  ['', 'no element'],
  ['text', 'text outside of all elements at character 0'],
  ['<a>', 'no end of the element a'],
  ['<a><b></a></b>', '</a> at character 6, where </b> ends'],
  ['</a>', '</a> at character 0, where no element ends'],
  ['<a/><b/>', 'a second outermost element at character 4'],
  ['<a b=1/>', 'no whole tag at character 0'],
  ['<a><b', 'no whole tag at character 3'],
  ['<a><!-- ', 'no end of <!-- at character 3'],
])('%s is no XML', (text, message) => {
  expect(() => parseXml(text)).toThrow(new XmlFault(message))
})

test('deep and long texts take no time', () => {
  const deep = '<a>'.repeat(200_000)
  expect(() => parseXml(deep)).toThrow('no end of the element a')
  expect(() => parseXml(`<a ${'b="" '.repeat(100_000)}`)).toThrow('no whole tag')
  expect(() => parseXml('<a'.repeat(200_000))).toThrow('no whole tag')
})
