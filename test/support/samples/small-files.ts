import { zipFile } from './zip-file.js';

const base64 = (text: string) => Buffer.from(text, 'base64');

export const PDF = Buffer.from(
  '%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\nxref\n0 1\n0000000000 65535 f \ntrailer<</Root 1 0 R>>\nstartxref\n42\n%%EOF\n',
);
/** Images of one pixel. */
export const JPEG = Buffer.concat([
  base64(
    '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////' +
      '////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=',
  ),
  Buffer.from([0xff, 0xd9]),
]);
export const PNG = base64(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
);
export const WEBP = base64('UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA');
export const ZIP = zipFile(['a.txt', 'b.csv']);
export const CSV = Buffer.from('order,total\r\n17,9.50\r\n18,12.00\r\n');

const office = (folder: string, main: string, type: string): Buffer =>
  zipFile([
    {
      name: '[Content_Types].xml',
      content:
        '<?xml version="1.0" encoding="UTF-8"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">' +
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
        `<Override PartName="/${folder}/${main}" ContentType="application/vnd.openxmlformats-officedocument.${type}.main+xml"/></Types>`,
    },
    {
      name: '_rels/.rels',
      content:
        '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" ' +
        `Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="${folder}/${main}"/></Relationships>`,
    },
    { name: `${folder}/${main}`, content: '<?xml version="1.0"?><root/>' },
  ]);
export const XLSX = office('xl', 'workbook.xml', 'spreadsheetml.sheet');
export const DOCX = office('word', 'document.xml', 'wordprocessingml.document');

/** UTF-16 with a byte order mark. */
export function utf16(text: string, order: 'le' | 'be'): Buffer {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
  return order === 'le' ? bytes : bytes.swap16();
}
